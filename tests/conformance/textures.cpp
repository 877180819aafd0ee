// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects at the limits: which resources can be read in which ways, and what
// descriptors say afterwards.
#include "survive.hpp"

namespace {

constexpr size_t largest = ~size_t{0};
constexpr auto uint8 = CU_AD_FORMAT_UNSIGNED_INT8;
CUcontext context;
CUtexObject texture;
CUsurfObject surface;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
}

std::string number(unsigned value, const char* format) {
  char text[64];
  snprintf(text, sizeof text, format, value);
  return text;
}

CUarray new_array(size_t width, size_t height, size_t depth, CUarray_format format,
                  unsigned channels, unsigned flags) {
  const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, channels, flags};
  CUarray array = nullptr;
  PREPARE(cuArray3DCreate(&array, &shape));
  return array;
}

CUmipmappedArray new_levels(size_t width, size_t height, size_t depth, CUarray_format format,
                            unsigned channels, unsigned flags, unsigned levels) {
  const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, channels, flags};
  CUmipmappedArray array = nullptr;
  PREPARE(cuMipmappedArrayCreate(&array, &shape, levels));
  return array;
}

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

// Creates a texture, destroys it again and returns what creating it answered.
CUresult created(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& way,
                 const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
  const CUresult result = cuTexObjectCreate(&texture, &resource, &way, view);
  if (result == CUDA_SUCCESS) PREPARE(cuTexObjectDestroy(texture));
  return result;
}
CUresult created_surface(const CUDA_RESOURCE_DESC& resource) {
  const CUresult result = cuSurfObjectCreate(&surface, &resource);
  if (result == CUDA_SUCCESS) PREPARE(cuSurfObjectDestroy(surface));
  return result;
}

const char* mark(CUresult result) {
  return result == CUDA_SUCCESS ? "+" : result == CUDA_ERROR_INVALID_VALUE ? "-" : "?";
}

CASE(texture_arguments) {
  start();
  CUDA_RESOURCE_DESC resource = of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0));
  CUDA_TEXTURE_DESC way = plain();
  CUDA_RESOURCE_VIEW_DESC view{};
  SURVIVE(cuTexObjectCreate(nullptr, &resource, &way, nullptr));
  SURVIVE(cuTexObjectCreate(&texture, nullptr, &way, nullptr));
  SURVIVE(cuTexObjectCreate(&texture, &resource, nullptr, nullptr));
  SURVIVE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  SURVIVE(cuTexObjectGetResourceDesc(nullptr, texture));
  SURVIVE(cuTexObjectGetTextureDesc(nullptr, texture));
  SURVIVE(cuTexObjectGetResourceViewDesc(nullptr, texture));
  ASK(cuTexObjectGetResourceViewDesc(&view, texture));
  SURVIVE(cuTexObjectGetResourceDesc(&resource, 0));
  SURVIVE(cuTexObjectGetTextureDesc(&way, 0));
  SURVIVE(cuTexObjectGetResourceViewDesc(&view, 0));
  SURVIVE(cuTexObjectDestroy(texture));
  SURVIVE(cuTexObjectDestroy(0));
  SURVIVE(cuSurfObjectDestroy(0));
  SURVIVE(cuSurfObjectGetResourceDesc(&resource, 0));
  resource = of(CUarray{});
  SURVIVE(created(resource, way));
  SURVIVE(created_surface(resource));
  resource = of(CUmipmappedArray{});
  SURVIVE(created(resource, way));
  SURVIVE(created_surface(resource));
  resource = of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
  SURVIVE(cuSurfObjectCreate(nullptr, &resource));
  SURVIVE(cuSurfObjectCreate(&surface, nullptr));
  for (unsigned type : {4u, 9u, ~0u}) {
    resource.resType = static_cast<CUresourcetype>(type);
    SURVIVE(created(resource, way));
    SURVIVE(created_surface(resource));
  }
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.flags = 1;
  SURVIVE(created(resource, way));
  SURVIVE(created_surface(resource));
}

CASE(texture_without_context) {
  PREPARE(cuInit(0));
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC way = plain();
  SURVIVE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  SURVIVE(cuTexObjectDestroy(0));
  ASK(cuSurfObjectCreate(&surface, &resource));
  start();
  resource = of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
  PREPARE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  PREPARE(cuSurfObjectCreate(&surface, &resource));
  PREPARE(cuCtxSetCurrent(nullptr));
  ASK(cuTexObjectGetResourceDesc(&resource, texture));
  SURVIVE(cuTexObjectDestroy(texture));
  SURVIVE(cuSurfObjectDestroy(surface));
}

CASE(texture_destroyed_twice) {
  start();
  CUDA_RESOURCE_DESC resource = of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0));
  CUDA_TEXTURE_DESC way = plain();
  PREPARE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  SURVIVE(cuTexObjectDestroy(texture));
  SURVIVE(cuTexObjectGetTextureDesc(&way, texture));
  SURVIVE(cuTexObjectDestroy(texture));
}
CASE(surface_destroyed_twice) {
  start();
  CUDA_RESOURCE_DESC resource =
      of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
  PREPARE(cuSurfObjectCreate(&surface, &resource));
  SURVIVE(cuSurfObjectDestroy(surface));
  SURVIVE(cuSurfObjectDestroy(surface));
}
CASE(texture_handle_of_nothing) {
  start();
  CUDA_TEXTURE_DESC way;
  SURVIVE(cuTexObjectGetTextureDesc(&way, 0x12345678));
  SURVIVE(cuTexObjectDestroy(0x12345678));
}
CASE(surface_handle_of_nothing) {
  start();
  SURVIVE(cuSurfObjectDestroy(0x12345678));
}
CASE(texture_of_a_destroyed_array) {
  start();
  CUarray array = new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0);
  CUDA_RESOURCE_DESC resource = of(array);
  CUDA_TEXTURE_DESC way = plain();
  PREPARE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  ASK(cuArrayDestroy(array));
  ASK(cuTexObjectGetResourceDesc(&resource, texture));
  ASK(resource.res.array.hArray == array);
  SURVIVE(cuTexObjectDestroy(texture));
}
CASE(texture_of_nothing) {
  start();
  SURVIVE(created(of(reinterpret_cast<CUarray>(0x1230)), plain()));
}

// For each format and number of channels: +, - or ? for point and for linear filtering, each as
// floats, as integers, with sRGB, with normalised coordinates, and as integers with sRGB.
CASE(texture_formats) {
  start();
  for (unsigned format = 0; format <= 0x100; ++format)
    for (unsigned channels = 1; channels <= 4; ++channels) {
      const CUDA_ARRAY3D_DESCRIPTOR shape{64,       32, 0, static_cast<CUarray_format>(format),
                                          channels, 0};
      CUarray array = nullptr;
      if (cuArray3DCreate(&array, &shape) != CUDA_SUCCESS) continue;
      std::string answer;
      for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
        for (unsigned flags : {0u, 1u, 0x10u, 2u, 0x11u}) {
          CUDA_TEXTURE_DESC way = plain();
          way.filterMode = filter;
          way.flags = flags;
          answer += mark(created(of(array), way));
        }
      conformance::say((number(format, "0x%02x") + number(channels, " channels %u")).c_str(),
                       answer.c_str());
      PREPARE(cuArrayDestroy(array));
    }
}

// The same for linear memory and for pitched memory, with point and linear filtering, as floats, as
// integers and with sRGB.
CASE(texture_formats_of_memory) {
  start();
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 65536));
  for (unsigned format = 0; format <= 0x100; ++format) {
    std::string answer;
    bool any = false;
    for (unsigned channels = 0; channels <= 5; ++channels) {
      answer += channels == 0 ? "" : " ";
      for (bool is_linear : {true, false})
        for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
          for (unsigned flags : {0u, 1u, 0x10u}) {
            CUDA_RESOURCE_DESC resource = is_linear ? linear(p, 4096) : rows(p, 16, 4, 512);
            if (is_linear) {
              resource.res.linear.format = static_cast<CUarray_format>(format);
              resource.res.linear.numChannels = channels;
            } else {
              resource.res.pitch2D.format = static_cast<CUarray_format>(format);
              resource.res.pitch2D.numChannels = channels;
            }
            CUDA_TEXTURE_DESC way = plain();
            way.filterMode = filter;
            way.flags = flags;
            const CUresult result = created(resource, way);
            any |= result == CUDA_SUCCESS;
            answer += mark(result);
          }
    }
    if (any) conformance::say(number(format, "0x%02x").c_str(), answer.c_str());
  }
}

CASE(texture_ways_to_read) {
  start();
  CUDA_RESOURCE_DESC resource = of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0));
  const CUDA_RESOURCE_DESC cube =
      of(new_array(16, 16, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP));
  const CUDA_RESOURCE_DESC levels = of(new_levels(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0, 4));
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 65536));
  const CUDA_RESOURCE_DESC memory = linear(p, 4096), pitched = rows(p, 16, 4, 512);
  const std::vector<const CUDA_RESOURCE_DESC*> all{&resource, &cube, &levels, &memory, &pitched};
  for (unsigned flags : {0u, 2u})
    for (unsigned mode : {0u, 1u, 2u, 3u, 4u, ~0u})
      for (unsigned dimension = 0; dimension < 3; ++dimension) {
        CUDA_TEXTURE_DESC way = plain();
        way.flags = flags;
        way.addressMode[dimension] = static_cast<CUaddress_mode>(mode);
        std::string answer;
        for (const CUDA_RESOURCE_DESC* one : all) answer += mark(created(*one, way));
        conformance::say((number(flags, "flags %u ") + number(mode, "mode %u ") +
                          number(dimension, "along %u: 2D, cube, levels, linear, pitched"))
                             .c_str(),
                         answer.c_str());
      }
  for (unsigned bit = 0; bit < 32; ++bit) {
    CUDA_TEXTURE_DESC way = plain();
    std::string answer;
    for (const CUDA_RESOURCE_DESC* one : all)
      for (unsigned with : {0u, 2u}) {
        way.flags = 1u << bit | with;
        answer += mark(created(*one, way));
      }
    conformance::say(number(1u << bit, "flag 0x%x").c_str(), answer.c_str());
  }
  CUDA_TEXTURE_DESC way;
#define WITH(...) \
  way = plain();  \
  __VA_ARGS__;    \
  conformance::answer(#__VA_ARGS__, created(resource, way))
  WITH(way.filterMode = CUfilter_mode(2));
  WITH(way.filterMode = CUfilter_mode(~0u));
  WITH(way.mipmapFilterMode = CUfilter_mode(1));
  WITH(way.mipmapFilterMode = CUfilter_mode(2));
  WITH(way.maxAnisotropy = 1);
  WITH(way.maxAnisotropy = 16);
  WITH(way.maxAnisotropy = 17);
  WITH(way.maxAnisotropy = ~0u);
  WITH(way.mipmapLevelBias = 1e30f);
  WITH(way.minMipmapLevelClamp = 3, way.maxMipmapLevelClamp = 2);
  WITH(way.minMipmapLevelClamp = -3);
  WITH(way.mipmapLevelBias = __builtin_nanf(""));
  WITH(way.reserved[3] = 1);
  WITH(way.borderColor[0] = __builtin_nanf(""));
  resource = levels;
  WITH(way.flags = 0);
  WITH(way.flags = 2);
  WITH(way.flags = 2, way.mipmapFilterMode = CUfilter_mode(1));
  WITH(way.flags = 2, way.mipmapFilterMode = CUfilter_mode(2));
  WITH(way.flags = 2, way.minMipmapLevelClamp = 3, way.maxMipmapLevelClamp = 2);
  WITH(way.flags = 2, way.maxMipmapLevelClamp = 1000);
  resource = of(new_levels(64, 64, 0, CU_AD_FORMAT_SIGNED_INT32, 1, 0, 4));
  WITH(way.flags = 2, way.filterMode = CUfilter_mode(1));
  WITH(way.flags = 2, way.mipmapFilterMode = CUfilter_mode(1));
  WITH(way.flags = 3, way.mipmapFilterMode = CUfilter_mode(1));
}

CASE(texture_of_linear_memory) {
  start();
  CUdeviceptr p = 0;
  void* host = nullptr;
  static char own[4096];
  PREPARE(cuMemAlloc(&p, 1 << 20));
  PREPARE(cuMemAllocHost(&host, 65536));
  CUDA_RESOURCE_DESC resource;
#undef WITH
#define WITH(...)             \
  resource = linear(p, 4096); \
  __VA_ARGS__;                \
  conformance::answer(#__VA_ARGS__, created(resource, plain()))
  auto& at = resource.res.linear;
  for (size_t offset : {1, 4, 16, 32, 64, 128, 256, 511, 512}) {
    WITH(at.devPtr += offset);
  }
  for (size_t size : {0, 1, 3, 4, 5, 1 << 20}) {
    WITH(at.sizeInBytes = size);
  }
  WITH(at.sizeInBytes = (1 << 20) + 4);
  WITH(at.sizeInBytes = (1 << 21) + 4);
  WITH(at.sizeInBytes = (size_t{4} << 28));
  WITH(at.sizeInBytes = (size_t{4} << 28) + 4);
  WITH(at.sizeInBytes = largest);
  WITH(at.devPtr = 0);
  WITH(at.devPtr = 0x1000);
  WITH(at.devPtr = reinterpret_cast<CUdeviceptr>(host));
  WITH(at.devPtr = reinterpret_cast<CUdeviceptr>(own) & ~size_t{511});
  WITH(resource.flags = 1);
  CUdeviceptr big = 0;
  PREPARE(cuMemAlloc(&big, size_t{6} << 28));
  WITH(at.devPtr = big, at.sizeInBytes = (size_t{4} << 28));
  WITH(at.devPtr = big, at.sizeInBytes = (size_t{4} << 28) + 4);
  WITH(at.devPtr = big, at.format = uint8, at.sizeInBytes = (size_t{1} << 28));
  WITH(at.devPtr = big, at.format = uint8, at.sizeInBytes = (size_t{1} << 28) + 1);
  PREPARE(cuMemFree(big));
  WITH(at.devPtr = big);
  ASK(cuCtxSynchronize());
}

CASE(texture_of_rows) {
  start();
  CUdeviceptr p = 0;
  void* host = nullptr;
  PREPARE(cuMemAlloc(&p, 1 << 20));
  PREPARE(cuMemAllocHost(&host, 65536));
  CUDA_RESOURCE_DESC resource;
#undef WITH
#define WITH(...)                 \
  resource = rows(p, 16, 4, 512); \
  __VA_ARGS__;                    \
  conformance::answer(#__VA_ARGS__, created(resource, plain()))
  auto& at = resource.res.pitch2D;
  for (size_t offset : {1, 4, 16, 32, 64, 128, 256, 511, 512}) {
    WITH(at.devPtr += offset);
  }
  for (size_t pitch : {0, 16, 32, 48, 63, 64, 65, 80, 96, 128, 2097120, 2097152}) {
    WITH(at.pitchInBytes = pitch);
    WITH(at.pitchInBytes = pitch, at.height = 1);
  }
  for (size_t width : {0, 1, 128, 129, 131072, 131073}) {
    WITH(at.width = width);
    WITH(at.width = width, at.pitchInBytes = 1 << 20, at.height = 1);
  }
  for (size_t height : {0, 1, 65000, 65001}) {
    WITH(at.height = height);
    WITH(at.height = height, at.width = 8, at.pitchInBytes = 32);
  }
  WITH(at.width = largest);
  WITH(at.height = largest);
  WITH(at.height = 2048);
  WITH(at.height = 2049);
  WITH(at.height = 4097);
  WITH(at.devPtr = 0);
  WITH(at.devPtr = reinterpret_cast<CUdeviceptr>(host));
  WITH(resource.flags = 1);
}

CASE(texture_views) {
  start();
  CUDA_RESOURCE_DESC resource{};
  CUDA_RESOURCE_VIEW_DESC view;
  CUDA_TEXTURE_DESC way = plain();
  way.flags = 2;
#undef WITH
#define WITH(...) \
  view = {};      \
  __VA_ARGS__;    \
  conformance::answer(#__VA_ARGS__, created(resource, way, &view))
  resource = of(new_array(64, 32, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0));
  for (unsigned format = 0; format <= 36; ++format) {
    WITH(view.format = CUresourceViewFormat(format), view.width = 64, view.height = 32);
  }
  WITH(view.format = CU_RES_VIEW_FORMAT_UINT_4X8);
  WITH(view.format = CU_RES_VIEW_FORMAT_UINT_4X8, view.width = 32, view.height = 32);
  WITH(view.format = CU_RES_VIEW_FORMAT_UINT_4X8, view.width = 64, view.height = 31);
  WITH(view.format = CU_RES_VIEW_FORMAT_UINT_4X8, view.width = 64, view.height = 32,
       view.depth = 1);
  WITH(view.format = CU_RES_VIEW_FORMAT_UINT_4X8, view.width = 64, view.height = 32,
       view.lastMipmapLevel = 1);
  WITH(view.format = CU_RES_VIEW_FORMAT_UINT_4X8, view.width = 64, view.height = 32,
       view.lastLayer = 1);
  WITH(view.format = CU_RES_VIEW_FORMAT_UINT_4X8, view.width = 64, view.height = 32,
       view.reserved[2] = 1);
  for (unsigned channels : {2u, 4u}) {
    resource = of(new_array(16, 8, 0, CU_AD_FORMAT_UNSIGNED_INT32, channels, 0));
    std::string answer;
    for (unsigned format = 0; format <= 36; ++format)
      for (size_t times : {1, 4}) {
        view = {};
        view.format = static_cast<CUresourceViewFormat>(format);
        view.width = 16 * times;
        view.height = 8 * times;
        answer += mark(created(resource, way, &view));
      }
    conformance::say(number(channels, "uint32 x %u").c_str(), answer.c_str());
  }
  for (CUarray_format format : {CU_AD_FORMAT_FLOAT, CU_AD_FORMAT_HALF, CU_AD_FORMAT_SIGNED_INT16,
                                CU_AD_FORMAT_UNORM_INT8X4}) {
    resource = of(new_array(16, 8, 0, format, 4, 0));
    std::string answer;
    for (unsigned view_format = 0; view_format <= 36; ++view_format) {
      view = {};
      view.format = static_cast<CUresourceViewFormat>(view_format);
      view.width = 16;
      view.height = 8;
      answer += mark(created(resource, way, &view));
    }
    conformance::say(number(format, "0x%x x 4").c_str(), answer.c_str());
  }
  resource = of(new_levels(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, 0, 4));
  const auto one = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  WITH(view.format = one, view.width = 64, view.height = 32);
  WITH(view.format = one, view.width = 64, view.height = 32, view.lastMipmapLevel = 3);
  WITH(view.format = one, view.width = 64, view.height = 32, view.lastMipmapLevel = 4);
  WITH(view.format = one, view.width = 64, view.height = 32, view.firstMipmapLevel = 1,
       view.lastMipmapLevel = 3);
  WITH(view.format = one, view.width = 32, view.height = 16, view.firstMipmapLevel = 1,
       view.lastMipmapLevel = 3);
  WITH(view.format = one, view.width = 64, view.height = 32, view.firstMipmapLevel = 2,
       view.lastMipmapLevel = 1);
  resource = of(new_array(64, 32, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED));
  WITH(view.format = one, view.width = 64, view.height = 32, view.depth = 5);
  WITH(view.format = one, view.width = 64, view.height = 32, view.depth = 5, view.lastLayer = 4);
  WITH(view.format = one, view.width = 64, view.height = 32, view.depth = 0, view.lastLayer = 4);
  WITH(view.format = one, view.width = 64, view.height = 32, view.depth = 3, view.firstLayer = 1,
       view.lastLayer = 3);
  WITH(view.format = one, view.width = 64, view.height = 32, view.depth = 5, view.firstLayer = 1,
       view.lastLayer = 3);
  WITH(view.format = one, view.width = 64, view.height = 32, view.depth = 5, view.lastLayer = 5);
  WITH(view.format = one, view.width = 64, view.height = 32, view.depth = 5, view.firstLayer = 3,
       view.lastLayer = 2);
  resource = of(new_array(16, 16, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP));
  WITH(view.format = one, view.width = 16, view.height = 16, view.depth = 6);
  WITH(view.format = one, view.width = 16, view.height = 16, view.depth = 6, view.lastLayer = 5);
  resource = of(new_array(16, 16, 4, CU_AD_FORMAT_FLOAT, 1, 0));
  WITH(view.format = one, view.width = 16, view.height = 16, view.depth = 4);
  WITH(view.format = one, view.width = 16, view.height = 16, view.depth = 3);
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 65536));
  resource = linear(p, 4096);
  WITH(view.format = one, view.width = 1024);
  WITH(view.format = CU_RES_VIEW_FORMAT_NONE);
  resource = rows(p, 16, 4, 512);
  WITH(view.format = one, view.width = 16, view.height = 4);
  resource = of(new_array(64, 32, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0));
  WITH(view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1, view.width = 64, view.height = 32);
  WITH(view.format = CU_RES_VIEW_FORMAT_NONE, view.width = 64, view.height = 32);
}

CASE(texture_descriptions) {
  start();
  CUDA_RESOURCE_DESC resource = of(new_array(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, 0)), got{};
  CUDA_TEXTURE_DESC way = plain(), got_way{};
  CUDA_RESOURCE_VIEW_DESC view{}, got_view{};
  const CUarray array = resource.res.array.hArray;
  way.maxAnisotropy = 77;
  way.flags = 2 | 0x20;
  way.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
  way.minMipmapLevelClamp = 5;
  way.maxMipmapLevelClamp = 3;
  way.mipmapLevelBias = 100;
  view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  view.width = 64;
  view.height = 32;
  ASK(cuTexObjectCreate(&texture, &resource, &way, &view));
  memset(&got, 0x55, sizeof got);
  memset(&got_way, 0x55, sizeof got_way);
  memset(&got_view, 0x55, sizeof got_view);
  ASK(cuTexObjectGetResourceDesc(&got, texture));
  ASK(got.resType);
  ASK(got.res.array.hArray == array);
  ASK(got.flags);
  ASK(cuTexObjectGetTextureDesc(&got_way, texture));
  ASK(got_way.addressMode[0]);
  ASK(got_way.filterMode);
  ASK(got_way.flags);
  ASK(got_way.maxAnisotropy);
  ASK(got_way.mipmapFilterMode);
  ASK(static_cast<int>(got_way.mipmapLevelBias));
  ASK(static_cast<int>(got_way.minMipmapLevelClamp));
  ASK(static_cast<int>(got_way.maxMipmapLevelClamp));
  ASK(cuTexObjectGetResourceViewDesc(&got_view, texture));
  ASK(got_view.format);
  ASK(got_view.width);
  ASK(got_view.height);
  ASK(got_view.depth);
  ASK(got_view.lastLayer);
  ASK(got_view.reserved[1]);
  CUtexObject second = 0;
  SURVIVE(cuTexObjectCreate(&second, &resource, &way, nullptr));
  ASK(second == texture);
  ASK(second != 0);
}

CASE(surfaces) {
  start();
  const unsigned ldst = CUDA_ARRAY3D_SURFACE_LDST;
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 65536));
  ASK(created_surface(of(new_array(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, 0))));
  ASK(created_surface(
      of(new_array(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER))));
  ASK(created_surface(of(new_array(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, ldst))));
  ASK(created_surface(of(new_array(64, 0, 0, CU_AD_FORMAT_FLOAT, 1, ldst))));
  ASK(created_surface(of(new_array(64, 32, 4, CU_AD_FORMAT_FLOAT, 1, ldst))));
  ASK(created_surface(
      of(new_array(64, 32, 4, CU_AD_FORMAT_FLOAT, 1, ldst | CUDA_ARRAY3D_LAYERED))));
  ASK(created_surface(
      of(new_array(32, 32, 6, CU_AD_FORMAT_FLOAT, 1, ldst | CUDA_ARRAY3D_CUBEMAP))));
  ASK(created_surface(of(new_levels(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, ldst, 3))));
  ASK(created_surface(linear(p, 4096)));
  ASK(created_surface(rows(p, 16, 4, 512)));
  CUarray level = nullptr;
  PREPARE(
      cuMipmappedArrayGetLevel(&level, new_levels(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, ldst, 3), 1));
  ASK(created_surface(of(level)));
  PREPARE(cuMipmappedArrayGetLevel(&level, new_levels(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, 0, 3), 1));
  ASK(created_surface(of(level)));
  ASK(created(of(level), plain()));
  for (unsigned format = 0; format <= 0x100; ++format)
    for (unsigned channels = 1; channels <= 4; ++channels) {
      const CUDA_ARRAY3D_DESCRIPTOR shape{64,       32,  0, static_cast<CUarray_format>(format),
                                          channels, ldst};
      CUarray array = nullptr;
      if (cuArray3DCreate(&array, &shape) != CUDA_SUCCESS) continue;
      conformance::answer((number(format, "0x%02x") + number(channels, " channels %u")).c_str(),
                          created_surface(of(array)));
      PREPARE(cuArrayDestroy(array));
    }
  CUDA_RESOURCE_DESC resource = of(new_array(64, 32, 0, CU_AD_FORMAT_FLOAT, 1, ldst)), got{};
  const CUarray array = resource.res.array.hArray;
  ASK(cuSurfObjectCreate(&surface, &resource));
  SURVIVE(cuSurfObjectGetResourceDesc(nullptr, surface));
  ASK(cuSurfObjectGetResourceDesc(&got, surface));
  ASK(got.resType);
  ASK(got.res.array.hArray == array);
  SURVIVE(cuTexObjectGetResourceDesc(&got, surface));
}
// For each shape, whether an invalid address mode is refused in each dimension, for an array and
// for one with levels; then whether an invalid flag is.
CASE(texture_dimensions) {
  start();
  const unsigned layered = CUDA_ARRAY3D_LAYERED, cube = CUDA_ARRAY3D_CUBEMAP;
  const CUDA_ARRAY3D_DESCRIPTOR shapes[] = {{16, 0, 0, uint8, 1, 0},
                                            {16, 16, 0, uint8, 1, 0},
                                            {16, 16, 12, uint8, 1, 0},
                                            {16, 0, 12, uint8, 1, layered},
                                            {16, 16, 12, uint8, 1, layered},
                                            {16, 16, 6, uint8, 1, cube},
                                            {16, 16, 12, uint8, 1, cube | layered}};
  for (const CUDA_ARRAY3D_DESCRIPTOR& shape : shapes) {
    std::string answer;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
      CUDA_TEXTURE_DESC way = plain();
      way.addressMode[dimension] = static_cast<CUaddress_mode>(4);
      answer += mark(created(
          of(new_array(shape.Width, shape.Height, shape.Depth, uint8, 1, shape.Flags)), way));
      answer += mark(created(
          of(new_levels(shape.Width, shape.Height, shape.Depth, uint8, 1, shape.Flags, 2)), way));
    }
    CUDA_TEXTURE_DESC way = plain();
    way.flags = 0x40;
    answer += mark(
        created(of(new_array(shape.Width, shape.Height, shape.Depth, uint8, 1, shape.Flags)), way));
    char question[64];
    snprintf(question, sizeof question, "%zu x %zu x %zu flags %x", shape.Width, shape.Height,
             shape.Depth, shape.Flags);
    conformance::say(question, answer.c_str());
  }
}

// For each format and number of channels: which view formats are accepted, with the array's own
// extents and with four times those.
CASE(texture_view_formats) {
  start();
  for (unsigned format = 0; format <= 0x100; ++format)
    for (unsigned channels = 1; channels <= 4; ++channels) {
      const CUDA_ARRAY3D_DESCRIPTOR shape{16,       8, 0, static_cast<CUarray_format>(format),
                                          channels, 0};
      CUarray array = nullptr;
      if (cuArray3DCreate(&array, &shape) != CUDA_SUCCESS) continue;
      std::string answer;
      for (unsigned view_format = 0; view_format <= 36; ++view_format)
        for (size_t times : {1, 4}) {
          CUDA_RESOURCE_VIEW_DESC view{};
          view.format = static_cast<CUresourceViewFormat>(view_format);
          view.width = 16 * times;
          view.height = 8 * times;
          answer += mark(created(of(array), plain(), &view));
        }
      conformance::say((number(format, "0x%02x") + number(channels, " channels %u")).c_str(),
                       answer.c_str());
      PREPARE(cuArrayDestroy(array));
    }
}

CASE(texture_of_planes) {
  start();
  CUDA_RESOURCE_DESC resource = of(new_array(64, 32, 0, CU_AD_FORMAT_NV12, 3, 0x100));
  const CUarray array = resource.res.array.hArray;
  ASK(created(resource, plain()));
  ASK(created_surface(resource));
  for (unsigned plane : {0u, 1u}) {
    PREPARE(cuArrayGetPlane(&resource.res.array.hArray, array, plane));
    ASK(created(resource, plain()));
    ASK(created_surface(resource));
  }
  for (CUarray_format format : {CU_AD_FORMAT_YUY2, CU_AD_FORMAT_AYUV}) {
    ASK(created(of(new_array(64, 32, 0, format, 4, 0x100)), plain()));
    ASK(created_surface(of(new_array(64, 32, 0, format, 4, 0x100))));
  }
  ASK(created_surface(of(new_array(64, 32, 0, CU_AD_FORMAT_BC1_UNORM, 4, 0))));
  ASK(created_surface(of(new_array(64, 32, 0, CU_AD_FORMAT_BC7_UNORM, 4, 0))));
}

CASE(surface_destroyed_as_texture) {
  start();
  CUDA_RESOURCE_DESC resource =
      of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST));
  PREPARE(cuSurfObjectCreate(&surface, &resource));
  SURVIVE(cuTexObjectDestroy(surface));
}

CASE(texture_in_another_context) {
  start();
  CUDA_RESOURCE_DESC resource = of(new_array(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0));
  CUDA_TEXTURE_DESC way = plain();
  CUcontext other = nullptr;
  PREPARE(cuCtxCreate_v4(&other, nullptr, 0, 0));
  SURVIVE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  SURVIVE(cuSurfObjectCreate(&surface, &resource));
  const CUDA_RESOURCE_DESC levels = of(new_levels(64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0, 2));
  SURVIVE(cuTexObjectCreate(&texture, &levels, &way, nullptr));
  SURVIVE(cuTexObjectDestroy(texture));
  PREPARE(cuCtxSetCurrent(context));
  SURVIVE(cuTexObjectCreate(&texture, &levels, &way, nullptr));
  PREPARE(cuTexObjectCreate(&texture, &resource, &way, nullptr));
  PREPARE(cuCtxSetCurrent(other));
  SURVIVE(cuTexObjectGetTextureDesc(&way, texture));
  SURVIVE(cuTexObjectDestroy(texture));
}

}  // namespace
