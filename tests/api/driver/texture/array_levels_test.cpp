// SPDX-License-Identifier: Apache-2.0
// Arrays with mip levels: the number of levels, and the array of a level.
#include <cuda.h>

#include <algorithm>

#include "tests/api/driver/arrays.hpp"
#include "tests/api/driver/values.hpp"

namespace {

CUresult create(const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels) {
  CUmipmappedArray array = nullptr;
  const CUresult result = cuMipmappedArrayCreate(&array, &shape, levels);
  if (result == CUDA_SUCCESS) {
    EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_SUCCESS);
  }
  return result;
}

CUarray level_of(CUmipmappedArray array, unsigned level) {
  CUarray one = nullptr;
  EXPECT_EQ(cuMipmappedArrayGetLevel(&one, array, level), CUDA_SUCCESS) << level;
  return one;
}

unsigned count_levels(CUmipmappedArray array) {
  unsigned count = 0;
  CUarray level = nullptr;
  while (cuMipmappedArrayGetLevel(&level, array, count) == CUDA_SUCCESS) ++count;
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, array, ~0u), invalid);
  return count;
}

// "This value is clamped to the range [1, 1 + floor(log2(max(width, height, depth)))]."
TEST(cuMipmappedArrayCreate, ClampsTheNumberOfLevels) {
  const Scene scene;
  struct Row {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    unsigned most;
  };
  for (const Row& row : {Row{{64, 64, 0, uint8, 1, 0}, 7},
                         {{63, 64, 0, uint8, 1, 0}, 7},
                         {{63, 63, 0, uint8, 1, 0}, 6},
                         {{1, 1, 0, uint8, 1, 0}, 1},
                         {{1, 0, 0, uint8, 1, 0}, 1},
                         {{100, 0, 0, uint8, 1, 0}, 7},
                         {{4, 12, 40, uint8, 1, 0}, 6},
                         {{8, 0, 40, uint8, 1, layered}, 4},
                         {{8, 4, 40, uint8, 1, layered}, 4},
                         {{8, 8, 12, uint8, 1, cube | layered}, 4}})
    for (unsigned asked : {0u, 1u, 3u, row.most, row.most + 1, 100u, ~0u}) {
      const CUmipmappedArray array = new_levels(row.shape, asked);
      EXPECT_EQ(count_levels(array), std::clamp(asked, 1u, row.most)) << row.shape.Width;
      OK(cuMipmappedArrayDestroy(array));
    }
}

TEST(cuMipmappedArrayCreate, TheFormatsThereAre) {
  const Scene scene;
  for (const ElementFormat& format : element_formats()) {
    EXPECT_EQ(create(shape_of(64, 32, 0, 0, format), 3), CUDA_SUCCESS) << format.format;
    EXPECT_EQ(create(shape_of(64, 0, 0, 0, format), 3), format.block > 1 ? invalid : CUDA_SUCCESS)
        << format.format;
  }
  EXPECT_EQ(create({64, 32, 0, CU_AD_FORMAT_NV12, 3, CUDA_ARRAY3D_VIDEO_ENCODE_DECODE}, 3),
            invalid);
  EXPECT_EQ(create({64, 32, 0, uint8, 3, 0}, 3), invalid);
  EXPECT_EQ(create({64, 32, 0, static_cast<CUarray_format>(4), 1, 0}, 3), invalid);
  EXPECT_EQ(create({64, 32, 0, uint8, 1, CUDA_ARRAY3D_SPARSE}, 3), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(create({64, 32, 0, uint8, 1, CUDA_ARRAY3D_DEFERRED_MAPPING}, 3),
            CUDA_ERROR_NOT_SUPPORTED);
}

TEST(cuMipmappedArrayCreate, TheLimitsOfTheDevice) {
  const Scene scene;
  const auto limit = [](CUdevice_attribute which) {
    int value = 0;
    EXPECT_EQ(cuDeviceGetAttribute(&value, which, 0), CUDA_SUCCESS);
    return static_cast<size_t>(value);
  };
  const size_t line = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH),
               width = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH),
               height = limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT);
  ASSERT_LT(line, limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH)) << "another than without";
  EXPECT_EQ(create({line, 0, 0, uint8, 1, 0}, 1), CUDA_SUCCESS);
  EXPECT_EQ(create({line + 1, 0, 0, uint8, 1, 0}, 1), invalid);
  EXPECT_EQ(create({width, 1, 0, uint8, 1, 0}, 1), CUDA_SUCCESS);
  EXPECT_EQ(create({width + 1, 1, 0, uint8, 1, 0}, 1), invalid);
  EXPECT_EQ(create({1, height, 0, uint8, 1, 0}, 1), CUDA_SUCCESS);
  EXPECT_EQ(create({1, height + 1, 0, uint8, 1, 0}, 1), invalid);
}

TEST(cuMipmappedArrayCreate, RefusesNullPointersAndNoContext) {
  const Scene scene;
  const CUDA_ARRAY3D_DESCRIPTOR shape{64, 32, 0, uint8, 1, 0};
  CUmipmappedArray array = nullptr;
  EXPECT_EQ(cuMipmappedArrayCreate(nullptr, &shape, 1), invalid);
  EXPECT_EQ(cuMipmappedArrayCreate(&array, nullptr, 1), invalid);
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuMipmappedArrayCreate(&array, &shape, 1), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuMipmappedArrayGetLevel, ExtentsHalveDownToOne) {
  const Scene scene;
  const CUmipmappedArray plane =
      new_levels({40, 12, 0, CU_AD_FORMAT_HALF, 2, CUDA_ARRAY3D_SURFACE_LDST}, 6);
  const size_t widths[] = {40, 20, 10, 5, 2, 1}, heights[] = {12, 6, 3, 1, 1, 1};
  for (unsigned level = 0; level < 6; ++level)
    EXPECT_TRUE(descriptor_of(level_of(plane, level)) ==
                (CUDA_ARRAY3D_DESCRIPTOR{widths[level], heights[level], 0, CU_AD_FORMAT_HALF, 2,
                                         CUDA_ARRAY3D_SURFACE_LDST}))
        << level;
  const CUmipmappedArray volume = new_levels({4, 12, 40, uint8, 1, 0}, 6);
  EXPECT_TRUE(descriptor_of(level_of(volume, 4)) ==
              (CUDA_ARRAY3D_DESCRIPTOR{1, 1, 2, uint8, 1, 0}));
  const CUmipmappedArray layers = new_levels({8, 4, 40, uint8, 1, layered}, 4);
  EXPECT_TRUE(descriptor_of(level_of(layers, 2)) ==
              (CUDA_ARRAY3D_DESCRIPTOR{2, 1, 40, uint8, 1, layered}));
  const CUmipmappedArray lines = new_levels({8, 0, 40, uint8, 1, layered}, 4);
  EXPECT_TRUE(descriptor_of(level_of(lines, 3)) ==
              (CUDA_ARRAY3D_DESCRIPTOR{1, 0, 40, uint8, 1, layered}));
}

TEST(cuMipmappedArrayGetLevel, TheSameLevelIsTheSameArray) {
  const Scene scene;
  const CUmipmappedArray array = new_levels({64, 64, 0, uint8, 1, 0}, 4);
  const CUarray level = level_of(array, 1);
  EXPECT_EQ(level_of(array, 1), level);
  EXPECT_NE(level_of(array, 2), level);
  // Measured: destroying a level is not an error, and has no effect.
  EXPECT_EQ(cuArrayDestroy(level), CUDA_SUCCESS);
  EXPECT_EQ(cuArrayDestroy(level), CUDA_SUCCESS);
  EXPECT_EQ(descriptor_of(level).Width, 32u);
  EXPECT_EQ(level_of(array, 1), level);
}

TEST(cuMipmappedArrayGetLevel, LevelsAreMemoryOfTheirOwn) {
  const Scene scene;
  for (const ElementFormat& format : {ElementFormat{uint8, 1, 1},
                                      {CU_AD_FORMAT_FLOAT, 4, 16},
                                      {CU_AD_FORMAT_BC1_UNORM, 4, 8, 4}}) {
    const CUmipmappedArray array = new_levels(shape_of(37, 21, 3, layered, format), 6);
    std::vector<ByteExtents> extents;
    for (unsigned level = 0; level < 6; ++level) {
      const CUarray one = level_of(array, level);
      extents.push_back(ByteExtents::of(descriptor_of(one), format));
      write_all(one, extents.back(), different_bytes(extents.back().size(), level));
    }
    for (unsigned level = 0; level < 6; ++level)
      EXPECT_EQ(read_all(level_of(array, level), extents[level]),
                different_bytes(extents[level].size(), level))
          << level;
  }
}

TEST(cuMipmappedArrayGetLevel, RefusesWhatIsNot) {
  const Scene scene;
  const CUmipmappedArray array = new_levels({64, 64, 0, uint8, 1, 0}, 4);
  CUarray level = nullptr;
  EXPECT_EQ(cuMipmappedArrayGetLevel(nullptr, array, 0), invalid);
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, array, 4), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuMipmappedArrayGetLevel(&level, static_cast<CUmipmappedArray>(handle), 0),
              CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, reinterpret_cast<CUmipmappedArray>(new_array(4)), 0),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(level, nullptr);
}

TEST(cuMipmappedArrayDestroy, EndsItsLevels) {
  const Scene scene;
  const size_t before = free_memory();
  const CUmipmappedArray array = new_levels({256, 256, 0, CU_AD_FORMAT_FLOAT, 4, 0}, 100);
  EXPECT_LE(free_memory(), before - 256 * 256 * 16 * 4 / 3);
  const CUarray first = level_of(array, 0), third = level_of(array, 2);
  OK(cuMipmappedArrayDestroy(array));
  EXPECT_EQ(free_memory(), before);
  CUDA_ARRAY3D_DESCRIPTOR got;
  char byte[16] = {};
  for (CUarray level : {first, third}) {
    EXPECT_EQ(cuArray3DGetDescriptor(&got, level), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuMemcpyHtoA(level, 0, byte, 16), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE);
  }
  EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuMipmappedArrayDestroy(static_cast<CUmipmappedArray>(handle)),
              CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMipmappedArrayDestroy, NeedsNoContext) {
  const Scene scene;
  const CUmipmappedArray array = new_levels({64, 64, 0, uint8, 1, 0}, 4);
  OK(cuCtxSetCurrent(nullptr));
  CUarray level = nullptr;
  EXPECT_EQ(cuMipmappedArrayGetLevel(&level, array, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMipmappedArrayDestroy(array), CUDA_SUCCESS);
}

TEST(cuMipmappedArrayGetMemoryRequirements, AreForArraysWithDeferredMapping) {
  const Scene scene;
  CUDA_ARRAY_MEMORY_REQUIREMENTS got;
  const CUmipmappedArray array = new_levels({64, 64, 0, uint8, 1, 0}, 4);
  EXPECT_EQ(cuMipmappedArrayGetMemoryRequirements(&got, array, 0), invalid);
  EXPECT_EQ(cuMipmappedArrayGetMemoryRequirements(nullptr, array, 0), invalid);
  EXPECT_EQ(cuMipmappedArrayGetMemoryRequirements(&got, nullptr, 0), invalid);
  OK(cuMipmappedArrayDestroy(array));
  EXPECT_EQ(cuMipmappedArrayGetMemoryRequirements(&got, array, 0), CUDA_ERROR_INVALID_HANDLE);
}
TEST(cuMipmappedArrayGetSparseProperties, AreForSparseArrays) {
  const Scene scene;
  CUDA_ARRAY_SPARSE_PROPERTIES got;
  const CUmipmappedArray array = new_levels({64, 64, 0, uint8, 1, 0}, 4);
  EXPECT_EQ(cuMipmappedArrayGetSparseProperties(&got, array), invalid);
  EXPECT_EQ(cuMipmappedArrayGetSparseProperties(nullptr, array), invalid);
  EXPECT_EQ(cuMipmappedArrayGetSparseProperties(&got, nullptr), invalid);
  OK(cuMipmappedArrayDestroy(array));
  EXPECT_EQ(cuMipmappedArrayGetSparseProperties(&got, array), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
