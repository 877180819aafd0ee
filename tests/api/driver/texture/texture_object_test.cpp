// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: which can be created, and what queries return.
#include <cuda.h>

#include <cstring>
#include <functional>

#include "tests/api/driver/arrays.hpp"
#include "tests/api/driver/values.hpp"

namespace {

constexpr ElementFormat float1{CU_AD_FORMAT_FLOAT, 1, 4};

CUDA_RESOURCE_DESC of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}
CUDA_RESOURCE_DESC of(CUmipmappedArray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = array;
  return resource;
}
CUDA_RESOURCE_DESC linear(CUdeviceptr at, size_t size) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {at, CU_AD_FORMAT_FLOAT, 1, size};
  return resource;
}
CUDA_RESOURCE_DESC rows(CUdeviceptr at, size_t width, size_t height, size_t pitch) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D = {at, CU_AD_FORMAT_FLOAT, 1, width, height, pitch};
  return resource;
}
CUDA_TEXTURE_DESC plain() {
  CUDA_TEXTURE_DESC way{};
  for (auto& mode : way.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  return way;
}
CUDA_RESOURCE_VIEW_DESC view_as(CUresourceViewFormat format, size_t width, size_t height,
                                size_t depth) {
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = format;
  view.width = width, view.height = height, view.depth = depth;
  return view;
}

CUtexObject new_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& way = plain(),
                        const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
  CUtexObject texture = 0;
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &way, view), CUDA_SUCCESS);
  EXPECT_NE(texture, 0u);
  return texture;
}
CUsurfObject new_surface(CUarray array) {
  CUsurfObject surface = 0;
  const CUDA_RESOURCE_DESC resource = of(array);
  EXPECT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  EXPECT_NE(surface, 0u);
  return surface;
}

// Creates a texture, destroys it again and returns what creating it answered.
CUresult created(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& way = plain(),
                 const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
  CUtexObject texture = 0;
  const CUresult result = cuTexObjectCreate(&texture, &resource, &way, view);
  if (result == CUDA_SUCCESS) {
    EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
  }
  return result;
}
CUresult created(const CUDA_RESOURCE_DESC& resource, const CUDA_RESOURCE_VIEW_DESC& view) {
  return created(resource, plain(), &view);
}
CUresult created_surface(const CUDA_RESOURCE_DESC& resource) {
  CUsurfObject surface = 0;
  const CUresult result = cuSurfObjectCreate(&surface, &resource);
  if (result == CUDA_SUCCESS) {
    EXPECT_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
  }
  return result;
}

TEST(cuDeviceGetTexture1DLinearMaxWidth, DependsOnTheElement) {
  OK(cuInit(0));
  const auto most = [](CUarray_format format, unsigned channels) {
    size_t count = 7;
    EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&count, format, channels, 0), CUDA_SUCCESS);
    return count;
  };
  EXPECT_EQ(most(uint8, 1), size_t{1} << 30);
  EXPECT_EQ(most(uint8, 4), size_t{1} << 30);
  EXPECT_EQ(most(CU_AD_FORMAT_HALF, 4), size_t{1} << 29);
  EXPECT_EQ(most(CU_AD_FORMAT_FLOAT, 4), size_t{1} << 28);
  size_t count = 7;
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(nullptr, uint8, 1, 0), invalid);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&count, uint8, 3, 0), invalid);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&count, CUarray_format(0x77), 1, 0), invalid);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&count, uint8, 1, 77), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(count, 7u);
}

TEST(cuTexObjectCreate, OfEveryArray) {
  const Scene scene;
  for (const ElementFormat& format : element_formats()) {
    const bool encoded = format.format == CU_AD_FORMAT_BC1_UNORM_SRGB ||
                         format.format == CU_AD_FORMAT_BC2_UNORM_SRGB ||
                         format.format == CU_AD_FORMAT_BC3_UNORM_SRGB ||
                         format.format == CU_AD_FORMAT_BC7_UNORM_SRGB;
    for (unsigned flags : {0u, unsigned{CU_TRSF_READ_AS_INTEGER}, unsigned{CU_TRSF_SRGB}}) {
      CUDA_TEXTURE_DESC way = plain();
      way.flags = flags;
      // An sRGB format must be decoded.
      const CUresult expected = encoded && !(flags & CU_TRSF_SRGB) ? invalid : CUDA_SUCCESS;
      for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
        way.filterMode = filter;
        EXPECT_EQ(created(of(new_array(16, 16, 0, 0, format)), way), expected)
            << format.format << " flags " << flags;
        EXPECT_EQ(created(of(new_levels(shape_of(16, 16, 4, layered, format), 3)), way), expected)
            << format.format << " flags " << flags;
      }
    }
  }
}

TEST(cuTexObjectCreate, OfPlanesAndNotOfWhatHasThem) {
  const Scene scene;
  const unsigned video = CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  const CUarray array = new_array({64, 32, 0, CU_AD_FORMAT_NV12, 3, video});
  EXPECT_EQ(created(of(array)), invalid);
  CUarray plane = nullptr;
  OK(cuArrayGetPlane(&plane, array, 1));
  EXPECT_EQ(created(of(plane)), CUDA_SUCCESS);
  EXPECT_EQ(created(of(new_array({64, 32, 0, CU_AD_FORMAT_YUY2, 4, video}))), invalid);
}

TEST(cuTexObjectCreate, RefusesWhatIsNoResource) {
  const Scene scene;
  const CUDA_TEXTURE_DESC way = plain();
  CUDA_RESOURCE_DESC resource = of(new_array(16, 16));
  CUtexObject texture = 0;
  EXPECT_EQ(cuTexObjectCreate(nullptr, &resource, &way, nullptr), invalid);
  EXPECT_EQ(cuTexObjectCreate(&texture, nullptr, &way, nullptr), invalid);
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, nullptr, nullptr), invalid);
  resource.flags = 1;
  EXPECT_EQ(created(resource), invalid);
  resource.flags = 0;
  for (unsigned type : {4u, 9u, ~0u}) {
    resource.resType = static_cast<CUresourcetype>(type);
    EXPECT_EQ(created(resource), invalid);
  }
  for (void* handle : foreign_handles(scene.context)) {
    const CUresult expected = handle ? CUDA_ERROR_INVALID_HANDLE : invalid;
    EXPECT_EQ(created(of(static_cast<CUarray>(handle))), expected);
    EXPECT_EQ(created(of(static_cast<CUmipmappedArray>(handle))), expected);
  }
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuTexObjectCreate(&texture, &resource, &way, nullptr), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuTexObjectCreate, ChecksHowItIsRead) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(65536);
  struct Row {
    CUDA_RESOURCE_DESC resource;
    unsigned dimensions;
    bool is_cube;
  };
  const std::vector<Row> all = {
      {of(new_array(16)), 1, false},
      {of(new_array(16, 16)), 2, false},
      {of(new_array(16, 16, 16)), 3, false},
      {of(new_array(16, 0, 4, layered)), 1, false},
      {of(new_array(16, 16, 4, layered)), 2, false},
      {of(new_array(16, 16, 6, cube)), 2, true},
      {of(new_array(16, 16, 12, cube | layered)), 2, true},
      {of(new_levels(shape_of(16, 16, 16, 0, float1), 3)), 3, false},
      {of(new_levels(shape_of(16, 16, 6, cube, float1), 3)), 2, true},
      {linear(memory, 4096), 1, false},
      {rows(memory, 16, 4, 512), 2, false},
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const Row& row = all[i];
    SCOPED_TRACE(i);
    const auto with = [&](const std::function<void(CUDA_TEXTURE_DESC&)>& change) {
      CUDA_TEXTURE_DESC way = plain();
      change(way);
      return created(row.resource, way);
    };
    for (unsigned along = 0; along < 3; ++along) {
      for (unsigned mode = 0; mode < 4; ++mode)
        EXPECT_EQ(with([&](auto& way) { way.addressMode[along] = CUaddress_mode(mode); }),
                  CUDA_SUCCESS);
      for (unsigned mode : {4u, ~0u})
        EXPECT_EQ(with([&](auto& way) { way.addressMode[along] = CUaddress_mode(mode); }),
                  along < row.dimensions ? invalid : CUDA_SUCCESS)
            << along;
    }
    for (unsigned bit = 0; bit < 32; ++bit) {
      const unsigned flag = 1u << bit;
      const bool known = flag == CU_TRSF_SEAMLESS_CUBEMAP ? row.is_cube : flag < 0x40;
      EXPECT_EQ(with([&](auto& way) { way.flags = flag; }), known ? CUDA_SUCCESS : invalid) << flag;
    }
    EXPECT_EQ(with([](auto& way) { way.filterMode = CU_TR_FILTER_MODE_LINEAR; }), CUDA_SUCCESS);
    EXPECT_EQ(with([](auto& way) { way.filterMode = CUfilter_mode(2); }), invalid);
    EXPECT_EQ(with([](auto& way) { way.mipmapFilterMode = CUfilter_mode(2); }), invalid);
    EXPECT_EQ(with([](auto& way) { way.maxAnisotropy = ~0u; }), CUDA_SUCCESS) << "it is clamped";
    EXPECT_EQ(with([](auto& way) { way.reserved[11] = 1; }), invalid);
  }
}

TEST(cuTexObjectCreate, OfLinearMemory) {
  const Scene scene;
  const size_t alignment = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  const CUdeviceptr memory = new_memory(1 << 20);
  for (size_t offset = 1; offset < alignment; offset *= 2)
    EXPECT_EQ(created(linear(memory + offset, 4096)), invalid) << offset;
  EXPECT_EQ(created(linear(memory + alignment, 4096)), CUDA_SUCCESS);
  for (size_t size : {0, 1, 3, 4, 1 << 20})
    EXPECT_EQ(created(linear(memory, size)), CUDA_SUCCESS) << size;
  EXPECT_EQ(created(linear(0, 4096)), invalid);
  EXPECT_EQ(created(linear(memory, ~size_t{0})), invalid) << "too many elements";
  // "must be set to a valid device pointer"
  EXPECT_EQ(created(linear(0x1000, 4096)), invalid);
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, 65536));
  EXPECT_EQ(created(linear(reinterpret_cast<CUdeviceptr>(pinned), 4096)), CUDA_SUCCESS);
  for (const ElementFormat& format : element_formats()) {
    CUDA_RESOURCE_DESC resource = linear(memory, 4096);
    resource.res.linear.format = format.format;
    resource.res.linear.numChannels = format.channels;
    const bool plain_format =
        format.format <= CU_AD_FORMAT_FLOAT || format.format == CU_AD_FORMAT_UNORM_INT_101010_2;
    EXPECT_EQ(created(resource), plain_format ? CUDA_SUCCESS : invalid) << format.format;
    resource.res.linear.numChannels = 3;
    EXPECT_EQ(created(resource), invalid) << format.format;
  }
  OK(cuMemFree(memory));
  EXPECT_EQ(created(linear(memory, 4096)), invalid) << "it is freed";
}

TEST(cuTexObjectCreate, OfRows) {
  const Scene scene;
  const CUdeviceptr memory = new_memory(1 << 20);
  const size_t alignment = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
               unit = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT),
               width = attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH),
               height = attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT),
               pitch = attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH);
  EXPECT_EQ(created(rows(memory, 16, 4, 512)), CUDA_SUCCESS);
  EXPECT_EQ(created(rows(memory + alignment, 16, 4, unit * 3)), CUDA_SUCCESS);
  EXPECT_EQ(created(rows(memory + alignment / 2, 16, 4, 512)), invalid);
  EXPECT_EQ(created(rows(memory, 16, 4, unit * 3 + unit / 2)), invalid);
  EXPECT_EQ(created(rows(memory, 16, 1, unit * 3 + 1)), invalid);
  EXPECT_EQ(created(rows(memory, 16, 4, pitch / unit * unit)), CUDA_SUCCESS);
  EXPECT_EQ(created(rows(memory, 16, 4, pitch / unit * unit + unit)), invalid);
  EXPECT_EQ(created(rows(memory, width, 1, 512)), CUDA_SUCCESS);
  EXPECT_EQ(created(rows(memory, width + 1, 1, 512)), invalid);
  EXPECT_EQ(created(rows(memory, 16, height, 512)), CUDA_SUCCESS);
  EXPECT_EQ(created(rows(memory, 16, height + 1, 512)), invalid);
  EXPECT_EQ(created(rows(0, 16, 4, 512)), invalid);
  EXPECT_EQ(created(rows(0x10000, 16, 4, 512)), invalid);
  CUDA_RESOURCE_DESC resource = rows(memory, 16, 4, 512);
  resource.res.pitch2D.format = CU_AD_FORMAT_BC1_UNORM;
  resource.res.pitch2D.numChannels = 4;
  EXPECT_EQ(created(resource), invalid);
}

// A view's elements have the size of the array's; blocks are viewed through 32-bit integers.
TEST(cuTexObjectCreate, TheFormatsOfViews) {
  const Scene scene;
  const auto bytes_of = [](unsigned view) -> size_t {  // size of an element or block; 0: no such
                                                       // format
    constexpr size_t sizes[] = {0,  1, 2, 4, 1, 2, 4,  2, 4,  8,  2, 4, 8,  4,  8,  16, 4, 8,
                                16, 2, 4, 8, 4, 8, 16, 8, 16, 16, 8, 8, 16, 16, 16, 16, 16};
    return view < std::size(sizes) ? sizes[view] : 0;
  };
  for (const ElementFormat& format : element_formats()) {
    const CUDA_RESOURCE_DESC resource = of(new_array(16, 8, 0, 0, format));
    CUDA_TEXTURE_DESC way = plain();
    way.flags = CU_TRSF_SRGB;
    for (unsigned view_format = 0; view_format <= 36; ++view_format) {
      const bool blocks = view_format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
      const size_t times = blocks ? 4 : 1;
      const bool possible = format.block == 1 && bytes_of(view_format) == format.bytes &&
                            (!blocks || format.format == CU_AD_FORMAT_UNSIGNED_INT32);
      auto view = view_as(CUresourceViewFormat(view_format), 16 * times, 8 * times, 0);
      EXPECT_EQ(created(resource, way, &view), possible ? CUDA_SUCCESS : invalid)
          << format.format << " x " << format.channels << " as " << view_format;
      view.width += 1;
      EXPECT_EQ(created(resource, way, &view), invalid);
    }
  }
}

TEST(cuTexObjectCreate, ThePartsThatViewsShow) {
  const Scene scene;
  const auto one = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  const auto with = [&](const CUDA_RESOURCE_DESC& resource, CUDA_RESOURCE_VIEW_DESC view,
                        const std::function<void(CUDA_RESOURCE_VIEW_DESC&)>& change) {
    change(view);
    return created(resource, view);
  };
  const auto plane = of(new_array(64, 32, 0, 0, float1));
  const auto plane_view = view_as(one, 64, 32, 0);
  EXPECT_EQ(created(plane, plane_view), CUDA_SUCCESS);
  EXPECT_EQ(with(plane, plane_view, [](auto& v) { v.height = 31; }), invalid);
  EXPECT_EQ(with(plane, plane_view, [](auto& v) { v.depth = 1; }), invalid);
  EXPECT_EQ(with(plane, plane_view, [](auto& v) { v.lastMipmapLevel = 1; }), invalid);
  EXPECT_EQ(with(plane, plane_view, [](auto& v) { v.lastLayer = 1; }), invalid);
  EXPECT_EQ(with(plane, plane_view, [](auto& v) { v.reserved[15] = 1; }), invalid);

  const auto levels = of(new_levels(shape_of(64, 32, 0, 0, float1), 4));
  EXPECT_EQ(with(levels, plane_view, [](auto& v) { v.lastMipmapLevel = 3; }), CUDA_SUCCESS);
  EXPECT_EQ(with(levels, plane_view, [](auto& v) { v.firstMipmapLevel = v.lastMipmapLevel = 3; }),
            CUDA_SUCCESS);
  EXPECT_EQ(
      with(levels, plane_view, [](auto& v) { v.firstMipmapLevel = 2, v.lastMipmapLevel = 1; }),
      invalid);
  EXPECT_EQ(with(levels, plane_view, [](auto& v) { v.lastLayer = 1; }), invalid);

  const auto layers = of(new_array(64, 32, 5, layered, float1));
  const auto layer_view = view_as(one, 64, 32, 5);
  EXPECT_EQ(with(layers, layer_view, [](auto& v) { v.firstLayer = 1, v.lastLayer = 4; }),
            CUDA_SUCCESS);
  EXPECT_EQ(with(layers, layer_view, [](auto& v) { v.firstLayer = 3, v.lastLayer = 2; }), invalid);
  EXPECT_EQ(with(layers, layer_view, [](auto& v) { v.depth = 3; }), invalid);
  const auto faces = of(new_array(16, 16, 6, cube, float1));
  EXPECT_EQ(created(faces, view_as(one, 16, 16, 6)), CUDA_SUCCESS);
  EXPECT_EQ(with(faces, view_as(one, 16, 16, 6), [](auto& v) { v.lastLayer = 5; }), invalid);

  // "can only be specified if the type of resource is a CUDA array or a CUDA mipmapped array"
  const CUdeviceptr memory = new_memory(65536);
  EXPECT_EQ(created(linear(memory, 4096), view_as(one, 1024, 0, 0)), invalid);
  EXPECT_EQ(created(rows(memory, 16, 4, 512), view_as(one, 16, 4, 0)), invalid);
}

TEST(cuTexObjectCreate, NotOfAnotherContextsArray) {
  const Scene scene;
  const CUarray array = new_array(16, 16);
  CUcontext other = nullptr;
  OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
  EXPECT_EQ(created(of(array)), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(created_surface(of(array)), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  OK(cuCtxDestroy(other));
}

TEST(cuTexObjectDestroy, ItsHandleMeansNothingAnyMore) {
  const Scene scene;
  const CUtexObject texture = new_texture(of(new_array(16, 16)));
  CUDA_TEXTURE_DESC way;
  OK(cuTexObjectDestroy(texture));
  EXPECT_EQ(cuTexObjectGetTextureDesc(&way, texture), invalid);
  EXPECT_EQ(cuTexObjectDestroy(texture), invalid);
  EXPECT_NE(new_texture(of(new_array(16, 16))), texture);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuTexObjectDestroy(reinterpret_cast<CUtexObject>(handle)),
              handle ? invalid : CUDA_SUCCESS);
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuTexObjectDestroy(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuTexObjectDestroy, TexturesEndWithTheirContext) {
  const Scene scene;
  CUcontext other = nullptr;
  OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
  const CUtexObject texture = new_texture(of(new_array(16, 16)));
  const CUsurfObject surface = new_surface(new_array(16, 16));
  OK(cuCtxSetCurrent(scene.context));
  CUDA_TEXTURE_DESC way;
  CUDA_RESOURCE_DESC resource;
  EXPECT_EQ(cuTexObjectGetTextureDesc(&way, texture), invalid) << "it is another context's";
  EXPECT_EQ(cuSurfObjectGetResourceDesc(&resource, surface), invalid);
  EXPECT_EQ(cuTexObjectDestroy(texture), invalid);
  OK(cuCtxSetCurrent(other));
  EXPECT_EQ(cuTexObjectGetTextureDesc(&way, texture), CUDA_SUCCESS);
  OK(cuCtxDestroy(other));
  OK(cuCtxSetCurrent(scene.context));
  EXPECT_EQ(cuTexObjectGetTextureDesc(&way, texture), invalid);
}

TEST(cuTexObjectGetResourceDesc, SaysWhatTheTextureReads) {
  const Scene scene;
  const CUarray array = new_array(16, 16);
  const CUmipmappedArray levels = new_levels(shape_of(16, 16, 0, 0, float1), 3);
  const CUdeviceptr memory = new_memory(65536);
  CUDA_RESOURCE_DESC got;
  memset(&got, 0x55, sizeof got);
  const CUtexObject texture = new_texture(of(array));
  OK(cuTexObjectGetResourceDesc(&got, texture));
  EXPECT_EQ(got.resType, CU_RESOURCE_TYPE_ARRAY);
  EXPECT_EQ(got.res.array.hArray, array);
  EXPECT_EQ(got.flags, 0u);
  OK(cuTexObjectGetResourceDesc(&got, new_texture(of(levels))));
  EXPECT_EQ(got.resType, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
  EXPECT_EQ(got.res.mipmap.hMipmappedArray, levels);
  OK(cuTexObjectGetResourceDesc(&got, new_texture(linear(memory, 400))));
  EXPECT_EQ(got.resType, CU_RESOURCE_TYPE_LINEAR);
  EXPECT_EQ(got.res.linear.devPtr, memory);
  EXPECT_EQ(got.res.linear.format, CU_AD_FORMAT_FLOAT);
  EXPECT_EQ(got.res.linear.numChannels, 1u);
  EXPECT_EQ(got.res.linear.sizeInBytes, 400u);
  OK(cuTexObjectGetResourceDesc(&got, new_texture(rows(memory, 16, 4, 512))));
  EXPECT_EQ(got.resType, CU_RESOURCE_TYPE_PITCH2D);
  EXPECT_EQ(got.res.pitch2D.devPtr, memory);
  EXPECT_EQ(got.res.pitch2D.width, 16u);
  EXPECT_EQ(got.res.pitch2D.height, 4u);
  EXPECT_EQ(got.res.pitch2D.pitchInBytes, 512u);

  EXPECT_EQ(cuTexObjectGetResourceDesc(nullptr, texture), invalid);
  EXPECT_EQ(cuTexObjectGetResourceDesc(&got, new_surface(array)), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuTexObjectGetResourceDesc(&got, reinterpret_cast<CUtexObject>(handle)), invalid);
  OK(cuArrayDestroy(array));
  OK(cuTexObjectGetResourceDesc(&got, texture));
  EXPECT_EQ(got.res.array.hArray, nullptr) << "the array is gone";
  EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
}

TEST(cuTexObjectGetTextureDesc, SaysHowItReads) {
  const Scene scene;
  CUDA_TEXTURE_DESC way{}, got;
  way.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
  way.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
  way.filterMode = CU_TR_FILTER_MODE_LINEAR;
  way.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  way.maxAnisotropy = 77;
  way.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  way.mipmapLevelBias = 100;
  way.minMipmapLevelClamp = 5;
  way.maxMipmapLevelClamp = 3;
  for (int i = 0; i < 4; ++i) way.borderColor[i] = static_cast<float>(i) / 2;
  const CUtexObject texture = new_texture(of(new_array(16, 16, 0, 0, float1)), way);
  memset(&got, 0x55, sizeof got);
  OK(cuTexObjectGetTextureDesc(&got, texture));
  EXPECT_EQ(memcmp(&got, &way, sizeof way), 0);
  EXPECT_EQ(cuTexObjectGetTextureDesc(nullptr, texture), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuTexObjectGetTextureDesc(&got, reinterpret_cast<CUtexObject>(handle)), invalid);
}

TEST(cuTexObjectGetResourceViewDesc, SaysWhatTheViewIs) {
  const Scene scene;
  const CUDA_RESOURCE_DESC layers = of(new_array(64, 32, 5, layered, float1));
  auto view = view_as(CU_RES_VIEW_FORMAT_UINT_1X32, 64, 32, 5);
  view.firstLayer = 1, view.lastLayer = 3;
  CUDA_RESOURCE_VIEW_DESC got;
  memset(&got, 0x55, sizeof got);
  const CUtexObject texture = new_texture(layers, plain(), &view);
  OK(cuTexObjectGetResourceViewDesc(&got, texture));
  EXPECT_EQ(memcmp(&got, &view, sizeof view), 0);
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(nullptr, texture), invalid);
  // "If no resource view was set for texObject, the CUDA_ERROR_INVALID_VALUE is returned."
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(&got, new_texture(layers)), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuTexObjectGetResourceViewDesc(&got, reinterpret_cast<CUtexObject>(handle)), invalid);
}

TEST(cuSurfObjectCreate, OfArraysWhoseElementsCanBeWritten) {
  const Scene scene;
  for (const ElementFormat& format : element_formats())
    EXPECT_EQ(created_surface(of(new_array(16, 16, 0, 0, format))),
              format.block > 1 ? invalid : CUDA_SUCCESS)
        << format.format;
  const unsigned ldst = CUDA_ARRAY3D_SURFACE_LDST, video = CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  EXPECT_EQ(created_surface(of(new_array(16, 0, 0, ldst))), CUDA_SUCCESS);
  EXPECT_EQ(created_surface(of(new_array(16, 16, 4, ldst))), CUDA_SUCCESS);
  EXPECT_EQ(created_surface(of(new_array(16, 16, 4, ldst | layered))), CUDA_SUCCESS);
  EXPECT_EQ(created_surface(of(new_array(16, 16, 6, ldst | cube))), CUDA_SUCCESS);
  const CUmipmappedArray levels = new_levels(shape_of(16, 16, 0, ldst, float1), 3);
  CUarray level = nullptr;
  OK(cuMipmappedArrayGetLevel(&level, levels, 1));
  EXPECT_EQ(created_surface(of(level)), CUDA_SUCCESS);
  const CUarray planar = new_array({64, 32, 0, CU_AD_FORMAT_NV12, 3, video});
  CUarray plane = nullptr;
  OK(cuArrayGetPlane(&plane, planar, 0));
  EXPECT_EQ(created_surface(of(planar)), invalid);
  EXPECT_EQ(created_surface(of(plane)), CUDA_SUCCESS);

  EXPECT_EQ(created_surface(of(levels)), invalid);
  const CUdeviceptr memory = new_memory(65536);
  EXPECT_EQ(created_surface(linear(memory, 4096)), invalid);
  EXPECT_EQ(created_surface(rows(memory, 16, 4, 512)), invalid);
}

TEST(cuSurfObjectCreate, RefusesWhatIsNoArray) {
  const Scene scene;
  CUDA_RESOURCE_DESC resource = of(new_array(16, 16));
  CUsurfObject surface = 0;
  EXPECT_EQ(cuSurfObjectCreate(nullptr, &resource), invalid);
  EXPECT_EQ(cuSurfObjectCreate(&surface, nullptr), invalid);
  resource.flags = 1;
  EXPECT_EQ(created_surface(resource), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(created_surface(of(static_cast<CUarray>(handle))),
              handle ? CUDA_ERROR_INVALID_HANDLE : invalid);
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuSurfObjectDestroy, ItsHandleMeansNothingAnyMore) {
  const Scene scene;
  const CUsurfObject surface = new_surface(new_array(16, 16));
  OK(cuSurfObjectDestroy(surface));
  CUDA_RESOURCE_DESC got;
  EXPECT_EQ(cuSurfObjectGetResourceDesc(&got, surface), invalid);
  EXPECT_EQ(cuSurfObjectDestroy(surface), invalid);
  EXPECT_EQ(cuSurfObjectDestroy(new_texture(of(new_array(16, 16)))), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuSurfObjectDestroy(reinterpret_cast<CUsurfObject>(handle)),
              handle ? invalid : CUDA_SUCCESS);
}

TEST(cuSurfObjectGetResourceDesc, SaysWhoseElementsTheyAre) {
  const Scene scene;
  const CUarray array = new_array(16, 16);
  const CUsurfObject surface = new_surface(array);
  CUDA_RESOURCE_DESC got;
  OK(cuSurfObjectGetResourceDesc(&got, surface));
  EXPECT_EQ(got.resType, CU_RESOURCE_TYPE_ARRAY);
  EXPECT_EQ(got.res.array.hArray, array);
  EXPECT_EQ(cuSurfObjectGetResourceDesc(nullptr, surface), invalid);
  for (void* handle : foreign_handles(scene.context))
    EXPECT_EQ(cuSurfObjectGetResourceDesc(&got, reinterpret_cast<CUsurfObject>(handle)), invalid);
}

}  // namespace
