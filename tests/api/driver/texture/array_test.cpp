// SPDX-License-Identifier: Apache-2.0
// Arrays: which can be created, what their descriptors say, and what becomes of their handles.
#include <cuda.h>

#include <set>
#include <thread>

#include "tests/api/driver/arrays.hpp"
#include "tests/api/driver/values.hpp"

namespace {

CUresult create(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  CUarray array = nullptr;
  const CUresult result = cuArray3DCreate(&array, &shape);
  if (result == CUDA_SUCCESS) {
    EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  }
  return result;
}
CUresult create(size_t width, size_t height, size_t depth, unsigned flags) {
  return create({width, height, depth, uint8, 1, flags});
}

#define LIMIT(name) attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_##name)

TEST(cuArrayCreate, OneOrTwoDimensions) {
  const Scene scene;
  CUDA_ARRAY_DESCRIPTOR shape{64, 32, CU_AD_FORMAT_FLOAT, 4};
  CUarray array = nullptr;
  OK(cuArrayCreate(&array, &shape));
  EXPECT_TRUE(descriptor_of(array) ==
              (CUDA_ARRAY3D_DESCRIPTOR{64, 32, 0, CU_AD_FORMAT_FLOAT, 4, 0}));
  shape = {100, 0, CU_AD_FORMAT_SIGNED_INT16, 1};
  CUarray line = nullptr;
  OK(cuArrayCreate(&line, &shape));
  EXPECT_TRUE(descriptor_of(line) ==
              (CUDA_ARRAY3D_DESCRIPTOR{100, 0, 0, CU_AD_FORMAT_SIGNED_INT16, 1, 0}));
  EXPECT_NE(array, line);
}

TEST(cuArrayCreate, RefusesWhatIsNoArray) {
  const Scene scene;
  CUDA_ARRAY_DESCRIPTOR shape{64, 32, CU_AD_FORMAT_FLOAT, 4};
  CUarray array = nullptr;
  EXPECT_EQ(cuArrayCreate(nullptr, &shape), invalid);
  EXPECT_EQ(cuArrayCreate(&array, nullptr), invalid);
  shape.Width = 0;
  EXPECT_EQ(cuArrayCreate(&array, &shape), invalid);
  shape = {64, 32, CU_AD_FORMAT_FLOAT, 3};
  EXPECT_EQ(cuArrayCreate(&array, &shape), invalid);
  shape = {64, 32, static_cast<CUarray_format>(0x77), 4};
  EXPECT_EQ(cuArrayCreate(&array, &shape), invalid);
  EXPECT_EQ(array, nullptr);
}

TEST(cuArrayCreate, NeedsAContext) {
  OK(cuInit(0));
  const CUDA_ARRAY_DESCRIPTOR shape{64, 32, uint8, 1};
  CUarray array = nullptr;
  EXPECT_EQ(cuArrayCreate(&array, &shape), CUDA_ERROR_INVALID_CONTEXT);
}

// Tries every number as a format and as a number of channels: only listed ones are accepted.
TEST(cuArray3DCreate, TheFormatsThereAre) {
  const Scene scene;
  std::set<std::pair<unsigned, unsigned>> known;
  for (const ElementFormat& one : element_formats()) known.insert({one.format, one.channels});
  for (unsigned format = 0; format <= 0x101; ++format)
    for (unsigned channels = 0; channels <= 5; ++channels)
      EXPECT_EQ(create({64, 32, 0, static_cast<CUarray_format>(format), channels, 0}),
                known.count({format, channels}) ? CUDA_SUCCESS : invalid)
          << format << " x " << channels;
}

TEST(cuArray3DCreate, VideoFormatsNeedTheirFlag) {
  const Scene scene;
  const unsigned video = CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  for (const auto& [format, channels] : {std::pair{CU_AD_FORMAT_NV12, 3u},
                                         {CU_AD_FORMAT_P010, 3u},
                                         {CU_AD_FORMAT_Y444_PLANAR8, 3u},
                                         {CU_AD_FORMAT_YUY2, 4u},
                                         {CU_AD_FORMAT_Y210, 2u},
                                         {CU_AD_FORMAT_Y410, 1u},
                                         {CU_AD_FORMAT_Y416, 4u}}) {
    EXPECT_EQ(create({64, 32, 0, format, channels, video}), CUDA_SUCCESS) << format;
    EXPECT_EQ(create({64, 32, 4, format, channels, video | layered}), CUDA_SUCCESS) << format;
    EXPECT_EQ(create({64, 32, 0, format, channels, 0}), invalid) << format;
    EXPECT_EQ(create({63, 32, 0, format, channels, video}), invalid) << "an odd width";
    EXPECT_EQ(create({64, 31, 0, format, channels, video}), invalid) << "an odd height";
    EXPECT_EQ(create({64, 0, 0, format, channels, video}), invalid) << "one dimension";
    EXPECT_EQ(create({64, 32, 4, format, channels, video}), invalid) << "three";
    EXPECT_EQ(create({32, 32, 6, format, channels, video | cube}), invalid) << "a cube map";
  }
}

TEST(cuArray3DCreate, TheShapesThereAre) {
  const Scene scene;
  EXPECT_EQ(create(4, 0, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(create(4, 4, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(create(4, 4, 4, 0), CUDA_SUCCESS);
  EXPECT_EQ(create(4, 0, 4, layered), CUDA_SUCCESS);
  EXPECT_EQ(create(4, 4, 4, layered), CUDA_SUCCESS);
  EXPECT_EQ(create(4, 4, 6, cube), CUDA_SUCCESS);
  EXPECT_EQ(create(4, 4, 12, cube | layered), CUDA_SUCCESS);

  EXPECT_EQ(create(0, 4, 4, 0), invalid);
  EXPECT_EQ(create(4, 0, 4, 0), invalid) << "depth without height";
  EXPECT_EQ(create(4, 4, 0, layered), invalid) << "no layers";
  EXPECT_EQ(create(4, 5, 6, cube), invalid) << "faces are squares";
  EXPECT_EQ(create(4, 4, 5, cube), invalid);
  EXPECT_EQ(create(4, 4, 12, cube), invalid) << "two cube maps without layers";
  EXPECT_EQ(create(4, 4, 7, cube | layered), invalid);
  EXPECT_EQ(create(4, 4, 0, cube | layered), invalid);
  EXPECT_EQ(create(~size_t{0}, 0, 0, 0), invalid);
  EXPECT_EQ(create(4, ~size_t{0}, 0, 0), invalid);
  EXPECT_EQ(create(4, 4, ~size_t{0}, 0), invalid);
}

TEST(cuArray3DCreate, TheFlagsThereAre) {
  const Scene scene;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const unsigned flag = 1u << bit;
    CUresult expected = invalid;
    if (flag == CUDA_ARRAY3D_SURFACE_LDST || flag == CUDA_ARRAY3D_TEXTURE_GATHER ||
        flag == CUDA_ARRAY3D_VIDEO_ENCODE_DECODE)
      expected = CUDA_SUCCESS;
    if (flag == CUDA_ARRAY3D_SPARSE || flag == CUDA_ARRAY3D_DEFERRED_MAPPING)
      expected = CUDA_ERROR_NOT_SUPPORTED;
    EXPECT_EQ(create(64, 64, 0, flag), expected) << flag;
  }
  // Measured: sparse cube maps are not arrays at all, sparse layers are.
  EXPECT_EQ(create(16, 16, 6, CUDA_ARRAY3D_SPARSE | cube), invalid);
  EXPECT_EQ(create(16, 16, 12, CUDA_ARRAY3D_SPARSE | cube | layered), invalid);
  EXPECT_EQ(create(16, 16, 6, CUDA_ARRAY3D_SPARSE | layered), CUDA_ERROR_NOT_SUPPORTED);
  // "Texture gather can only be performed on 2D CUDA arrays."
  const unsigned gather = CUDA_ARRAY3D_TEXTURE_GATHER;
  EXPECT_EQ(create(64, 0, 0, gather), invalid);
  EXPECT_EQ(create(16, 16, 16, gather), invalid);
  EXPECT_EQ(create(16, 16, 16, gather | layered), invalid);
  EXPECT_EQ(create(16, 16, 6, gather | cube), invalid);
  EXPECT_EQ(create({64, 64, 0, CU_AD_FORMAT_BC1_UNORM, 4, CUDA_ARRAY3D_SURFACE_LDST}),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(create({64, 0, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0}), invalid) << "blocks in one dimension";
}

// For each row of the documentation's table: the largest extents, and one more.
TEST(cuArray3DCreate, TheLimitsOfTheDevice) {
  const Scene scene;
  struct Row {
    unsigned flags;
    size_t width, height, depth;  // the limits; 0: this type has no such extent
    size_t step;                  // step of the depth
  };
  const unsigned ldst = CUDA_ARRAY3D_SURFACE_LDST;
  const Row rows[] = {
      {0, LIMIT(TEXTURE1D_WIDTH), 0, 0, 0},
      {ldst, LIMIT(SURFACE1D_WIDTH), 0, 0, 0},
      {0, LIMIT(TEXTURE2D_WIDTH), LIMIT(TEXTURE2D_HEIGHT), 0, 0},
      {ldst, LIMIT(SURFACE2D_WIDTH), LIMIT(SURFACE2D_HEIGHT), 0, 0},
      {ldst, LIMIT(SURFACE3D_WIDTH), LIMIT(SURFACE3D_HEIGHT), LIMIT(SURFACE3D_DEPTH), 1},
      {layered, LIMIT(TEXTURE1D_LAYERED_WIDTH), 0, LIMIT(TEXTURE1D_LAYERED_LAYERS), 1},
      {layered | ldst, LIMIT(SURFACE1D_LAYERED_WIDTH), 0, LIMIT(SURFACE1D_LAYERED_LAYERS), 1},
      {layered, LIMIT(TEXTURE2D_LAYERED_WIDTH), LIMIT(TEXTURE2D_LAYERED_HEIGHT),
       LIMIT(TEXTURE2D_LAYERED_LAYERS), 1},
      {layered | ldst, LIMIT(SURFACE2D_LAYERED_WIDTH), LIMIT(SURFACE2D_LAYERED_HEIGHT),
       LIMIT(SURFACE2D_LAYERED_LAYERS), 1},
      {CUDA_ARRAY3D_TEXTURE_GATHER, LIMIT(TEXTURE2D_GATHER_WIDTH), LIMIT(TEXTURE2D_GATHER_HEIGHT),
       0, 0},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(testing::Message() << "flags " << row.flags << ": " << row.width << " x "
                                    << row.height << " x " << row.depth);
    const size_t height = row.height ? 1 : 0, depth = row.step;
    EXPECT_EQ(create(row.width, height, depth, row.flags), CUDA_SUCCESS);
    EXPECT_EQ(create(row.width + 1, height, depth, row.flags), invalid);
    if (row.height) {
      EXPECT_EQ(create(1, row.height, depth, row.flags), CUDA_SUCCESS);
      EXPECT_EQ(create(1, row.height + 1, depth, row.flags), invalid);
    }
    if (row.depth) {
      EXPECT_EQ(create(1, height, row.depth, row.flags), CUDA_SUCCESS);
      EXPECT_EQ(create(1, height, row.depth + 1, row.flags), invalid);
    }
  }
  // A volume must obey one set of limits or the other in all its extents.
  const size_t wide = LIMIT(TEXTURE3D_WIDTH), deep = LIMIT(TEXTURE3D_DEPTH_ALTERNATE);
  ASSERT_GT(wide, LIMIT(TEXTURE3D_WIDTH_ALTERNATE));
  ASSERT_GT(deep, LIMIT(TEXTURE3D_DEPTH));
  EXPECT_EQ(create(wide, 1, LIMIT(TEXTURE3D_DEPTH), 0), CUDA_SUCCESS);
  EXPECT_EQ(create(LIMIT(TEXTURE3D_WIDTH_ALTERNATE), 1, deep, 0), CUDA_SUCCESS);
  EXPECT_EQ(create(wide, 1, deep, 0), invalid);
  EXPECT_EQ(create(1, 1, deep + 1, 0), invalid);
  // Faces are squares; memory does not suffice for the largest.
  EXPECT_EQ(create(LIMIT(TEXTURECUBEMAP_WIDTH) + 1, LIMIT(TEXTURECUBEMAP_WIDTH) + 1, 6, cube),
            invalid);
  const size_t cubes = LIMIT(TEXTURECUBEMAP_LAYERED_LAYERS);
  EXPECT_EQ(create(4, 4, cubes / 6 * 6, cube | layered), CUDA_SUCCESS);
  EXPECT_EQ(create(4, 4, cubes / 6 * 6 + 6, cube | layered), invalid);
}

TEST(cuArray3DCreate, MoreThanTheDeviceHasIsOutOfMemory) {
  const Scene scene;
  const size_t before = free_memory();
  EXPECT_EQ(create({16384, 16384, 16384, CU_AD_FORMAT_FLOAT, 4, 0}), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(free_memory(), before);
}

TEST(cuArray3DCreate, RefusesNullPointers) {
  const Scene scene;
  const CUDA_ARRAY3D_DESCRIPTOR shape{4, 4, 4, uint8, 1, 0};
  CUarray array = nullptr;
  EXPECT_EQ(cuArray3DCreate(nullptr, &shape), invalid);
  EXPECT_EQ(cuArray3DCreate(&array, nullptr), invalid);
}

TEST(cuArray3DGetDescriptor, SaysWhatTheArrayWasMadeOf) {
  const Scene scene;
  for (const CUDA_ARRAY3D_DESCRIPTOR& shape : std::initializer_list<CUDA_ARRAY3D_DESCRIPTOR>{
           {64, 0, 0, uint8, 1, 0},
           {64, 1, 1, CU_AD_FORMAT_HALF, 2, 0},
           {64, 32, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_SURFACE_LDST},
           {64, 0, 3, uint8, 1, layered},
           {8, 8, 12, CU_AD_FORMAT_BC7_UNORM, 4, cube | layered}})
    EXPECT_TRUE(descriptor_of(new_array(shape)) == shape);
  CUDA_ARRAY3D_DESCRIPTOR got;
  EXPECT_EQ(cuArray3DGetDescriptor(nullptr, new_array(4)), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuArray3DGetDescriptor(&got, static_cast<CUarray>(handle)),
              CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuArrayGetDescriptor, SaysNothingOfDepthAndFlags) {
  const Scene scene;
  CUDA_ARRAY_DESCRIPTOR got{};
  OK(cuArrayGetDescriptor(&got, new_array(16, 8, 4, layered)));
  EXPECT_EQ(got.Width, 16u);
  EXPECT_EQ(got.Height, 8u);
  EXPECT_EQ(got.Format, uint8);
  EXPECT_EQ(got.NumChannels, 4u);
  EXPECT_EQ(cuArrayGetDescriptor(nullptr, new_array(4)), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuArrayGetDescriptor(&got, static_cast<CUarray>(handle)), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuArrayGetDescriptor, NeedsNoContext) {
  const Scene scene;
  const CUarray array = new_array(16, 8);
  OK(cuCtxSetCurrent(nullptr));
  CUDA_ARRAY_DESCRIPTOR got{};
  EXPECT_EQ(cuArrayGetDescriptor(&got, array), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

TEST(cuArrayDestroy, GivesTheMemoryBack) {
  const Scene scene;
  const size_t before = free_memory();
  const CUarray array = new_array(1024, 1024);
  EXPECT_LE(free_memory(), before - 1024 * 1024 * 4);
  OK(cuArrayDestroy(array));
  EXPECT_EQ(free_memory(), before);
}

TEST(cuArrayDestroy, ItsHandleMeansNothingAnyMore) {
  const Scene scene;
  const CUarray array = new_array(16, 8);
  OK(cuArrayDestroy(array));
  CUDA_ARRAY3D_DESCRIPTOR got;
  EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuArray3DGetDescriptor(&got, array), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_NE(new_array(16, 8), array);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuArrayDestroy(static_cast<CUarray>(handle)), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuArrayDestroy, WaitsForWorkThatUsesIt) {
  const Scene scene;
  const CUstream stream = new_stream();
  Gate gate(stream);
  const CUarray array = new_array(64);
  std::vector<uint8_t> bytes(256);
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, 256));
  OK(cuMemcpyAtoHAsync(pinned, array, 0, 256, stream));
  std::atomic<bool> destroyed{false};
  std::thread other([&] {
    EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
    EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
    destroyed = true;
  });
  let_things_happen();
  EXPECT_FALSE(destroyed);
  gate.open();
  other.join();
}

TEST(cuArrayDestroy, OfSeveralThreadsOneIsTheFirst) {
  const Scene scene;
  for (int round = 0; round < 50; ++round) {
    const CUarray array = new_array(64, 64);
    std::atomic<int> succeeded{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        cuCtxSetCurrent(scene.context);
        const CUresult result = cuArrayDestroy(array);
        EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_HANDLE) << result;
        succeeded += result == CUDA_SUCCESS;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(succeeded, 1);
  }
}

TEST(cuArrayDestroy, ArraysEndWithTheirContext) {
  const Scene scene;
  const size_t before = free_memory();
  CUcontext other = nullptr;
  OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
  const CUarray array = new_array(256, 256);
  const CUmipmappedArray levels = new_levels(descriptor_of(array), 4);
  CUarray level = nullptr;
  OK(cuMipmappedArrayGetLevel(&level, levels, 1));
  OK(cuCtxDestroy(other));
  OK(cuCtxSetCurrent(scene.context));
  CUDA_ARRAY3D_DESCRIPTOR got;
  char byte = 0;
  for (CUarray gone : {array, level}) {
    EXPECT_EQ(cuArray3DGetDescriptor(&got, gone), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuMemcpyHtoA(gone, 0, &byte, 1), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuArrayDestroy(gone), CUDA_ERROR_INVALID_HANDLE);
  }
  EXPECT_EQ(cuMipmappedArrayDestroy(levels), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(free_memory(), before);
}

TEST(cuArrayDestroy, AnotherContextMayDoIt) {
  const Scene scene;
  const CUarray array = new_array(16, 8);
  CUcontext other = nullptr;
  OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  OK(cuCtxDestroy(other));
}

TEST(cuArrayGetPlane, LumaAndChroma) {
  const Scene scene;
  const unsigned video = CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  struct Format {
    CUarray_format format;
    unsigned planes;
    CUarray_format channel;
    CUDA_ARRAY3D_DESCRIPTOR second;
  };
  const auto u8 = CU_AD_FORMAT_UNSIGNED_INT8, u16 = CU_AD_FORMAT_UNSIGNED_INT16;
  for (const Format& one :
       {Format{CU_AD_FORMAT_NV12, 2, u8, {32, 16, 0, u8, 2, video}},
        {CU_AD_FORMAT_P010, 2, u16, {32, 16, 0, u16, 2, video}},
        {CU_AD_FORMAT_P016, 2, u16, {32, 16, 0, u16, 2, video}},
        {CU_AD_FORMAT_NV16, 2, u8, {32, 32, 0, u8, 2, video}},
        {CU_AD_FORMAT_P210, 2, u16, {32, 32, 0, u16, 2, video}},
        {CU_AD_FORMAT_P216, 2, u16, {32, 32, 0, u16, 2, video}},
        {CU_AD_FORMAT_Y444_PLANAR8, 3, u8, {64, 32, 0, u8, 1, video}},
        {CU_AD_FORMAT_Y444_PLANAR10, 3, u16, {64, 32, 0, u16, 1, video}},
        {CU_AD_FORMAT_YUV444_8bit_SemiPlanar, 2, u8, {64, 32, 0, u8, 2, video}},
        {CU_AD_FORMAT_YUV444_16bit_SemiPlanar, 2, u16, {64, 32, 0, u16, 2, video}}}) {
    SCOPED_TRACE(one.format);
    const CUarray array = new_array({64, 32, 0, one.format, 3, video});
    CUarray plane = nullptr, again = nullptr;
    OK(cuArrayGetPlane(&plane, array, 0));
    EXPECT_TRUE(descriptor_of(plane) ==
                (CUDA_ARRAY3D_DESCRIPTOR{64, 32, 0, one.channel, 1, video}));
    for (unsigned index = 1; index < one.planes; ++index) {
      OK(cuArrayGetPlane(&plane, array, index));
      EXPECT_TRUE(descriptor_of(plane) == one.second) << index;
      OK(cuArrayGetPlane(&again, array, index));
      EXPECT_EQ(again, plane);
    }
    EXPECT_EQ(cuArrayGetPlane(&plane, array, one.planes), invalid);
  }
}

TEST(cuArrayGetPlane, PlanesAreMemoryOfTheirOwn) {
  const Scene scene;
  const CUarray array =
      new_array({64, 32, 0, CU_AD_FORMAT_NV12, 3, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE});
  const ByteExtents extents[] = {{64, 32, 1}, {64, 16, 1}};
  CUarray planes[2] = {};
  for (unsigned i : {0u, 1u}) {
    OK(cuArrayGetPlane(&planes[i], array, i));
    write_all(planes[i], extents[i], different_bytes(extents[i].size(), i));
  }
  for (unsigned i : {0u, 1u})
    EXPECT_EQ(read_all(planes[i], extents[i]), different_bytes(extents[i].size(), i));
  // It would be unclear which plane's bytes these are.
  uint8_t bytes[64];
  EXPECT_EQ(cuMemcpyAtoH(bytes, array, 0, 64), invalid);
}

TEST(cuArrayGetPlane, PlanesEndWithTheirArray) {
  const Scene scene;
  const CUarray array =
      new_array({64, 32, 0, CU_AD_FORMAT_NV12, 3, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE});
  CUarray plane = nullptr, again = nullptr;
  OK(cuArrayGetPlane(&plane, array, 1));
  EXPECT_EQ(cuArrayDestroy(plane), CUDA_SUCCESS) << "which does nothing";
  OK(cuArrayGetPlane(&again, array, 1));
  EXPECT_EQ(again, plane);
  OK(cuArrayDestroy(array));
  CUDA_ARRAY3D_DESCRIPTOR got;
  EXPECT_EQ(cuArray3DGetDescriptor(&got, plane), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuArrayGetPlane, RefusesWhatHasNone) {
  const Scene scene;
  CUarray plane = nullptr;
  const CUarray array = new_array(64, 32);
  EXPECT_EQ(cuArrayGetPlane(&plane, array, 0), invalid);
  EXPECT_EQ(cuArrayGetPlane(nullptr, array, 0), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuArrayGetPlane(&plane, static_cast<CUarray>(handle), 0), CUDA_ERROR_INVALID_HANDLE);
}

// "If the CUDA array is not allocated with flag CUDA_ARRAY3D_... CUDA_ERROR_INVALID_VALUE will be
// returned": no array here is.
TEST(cuArrayGetMemoryRequirements, AreForArraysWithDeferredMapping) {
  const Scene scene;
  CUDA_ARRAY_MEMORY_REQUIREMENTS got;
  const CUarray array = new_array(64, 32);
  EXPECT_EQ(cuArrayGetMemoryRequirements(&got, array, 0), invalid);
  EXPECT_EQ(cuArrayGetMemoryRequirements(nullptr, array, 0), invalid);
  EXPECT_EQ(cuArrayGetMemoryRequirements(&got, nullptr, 0), invalid);
  OK(cuArrayDestroy(array));
  EXPECT_EQ(cuArrayGetMemoryRequirements(&got, array, 0), CUDA_ERROR_INVALID_HANDLE);
}
TEST(cuArrayGetSparseProperties, AreForSparseArrays) {
  const Scene scene;
  CUDA_ARRAY_SPARSE_PROPERTIES got;
  const CUarray array = new_array(64, 32);
  EXPECT_EQ(cuArrayGetSparseProperties(&got, array), invalid);
  EXPECT_EQ(cuArrayGetSparseProperties(nullptr, array), invalid);
  EXPECT_EQ(cuArrayGetSparseProperties(&got, nullptr), invalid);
  OK(cuArrayDestroy(array));
  EXPECT_EQ(cuArrayGetSparseProperties(&got, array), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
