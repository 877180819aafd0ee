// SPDX-License-Identifier: Apache-2.0
// Arrays at the limits: which formats, extents and flags exist, what descriptors say, and what
// becomes of handles.
#include "survive.hpp"

namespace {

constexpr size_t largest = ~size_t{0};
CUcontext context;

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

// Creates an array, destroys it again and returns what creating it answered.
int created(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  CUarray array = nullptr;
  const CUresult result = cuArray3DCreate(&array, &shape);
  if (result == CUDA_SUCCESS) PREPARE(cuArrayDestroy(array));
  return result;
}

int created(const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels) {
  CUmipmappedArray array = nullptr;
  const CUresult result = cuMipmappedArrayCreate(&array, &shape, levels);
  if (result == CUDA_SUCCESS) PREPARE(cuMipmappedArrayDestroy(array));
  return result;
}

// For each number of channels from 0 to 5: a sign for each shape that says whether it can be
// created.
void ask_formats(const char* what, std::vector<CUDA_ARRAY3D_DESCRIPTOR> shapes, unsigned levels) {
  for (unsigned format = 0; format <= 0x100; ++format) {
    std::string answer;
    bool any = false;
    for (unsigned channels = 0; channels <= 5; ++channels) {
      answer += channels == 0 ? "" : " ";
      for (CUDA_ARRAY3D_DESCRIPTOR& shape : shapes) {
        shape.Format = static_cast<CUarray_format>(format);
        shape.NumChannels = channels;
        const int code = levels ? created(shape, levels) : created(shape);
        any |= code == 0;
        answer += code == CUDA_SUCCESS               ? "+"
                  : code == CUDA_ERROR_INVALID_VALUE ? "-"
                                                     : number(code, "<%u>");
      }
    }
    if (any) conformance::say((what + number(format, " 0x%02x")).c_str(), answer.c_str());
  }
}

constexpr auto uint8 = CU_AD_FORMAT_UNSIGNED_INT8;

CASE(array_formats) {
  start();
  ask_formats("1D, 2D, odd 2D, 3D, layered 1D, layered 2D, cube",
              {{64, 0, 0, uint8, 1, 0},
               {64, 32, 0, uint8, 1, 0},
               {63, 31, 0, uint8, 1, 0},
               {16, 16, 4, uint8, 1, 0},
               {64, 0, 4, uint8, 1, CUDA_ARRAY3D_LAYERED},
               {64, 32, 4, uint8, 1, CUDA_ARRAY3D_LAYERED},
               {32, 32, 6, uint8, 1, CUDA_ARRAY3D_CUBEMAP}},
              0);
}

CASE(array_formats_and_flags) {
  start();
  std::vector<CUDA_ARRAY3D_DESCRIPTOR> shapes;
  for (unsigned flag : {0x02u, 0x08u, 0x10u, 0x20u, 0x100u})
    shapes.push_back({64, 32, 0, uint8, 1, flag});
  ask_formats("2D with flags 2, 8, 10, 20, 100", shapes, 0);
}

CASE(mipmapped_array_formats) {
  start();
  ask_formats("1D, 2D, odd 2D, 3D, layered 2D, cube",
              {{64, 0, 0, uint8, 1, 0},
               {64, 32, 0, uint8, 1, 0},
               {63, 31, 0, uint8, 1, 0},
               {16, 16, 4, uint8, 1, 0},
               {64, 32, 4, uint8, 1, CUDA_ARRAY3D_LAYERED},
               {32, 32, 6, uint8, 1, CUDA_ARRAY3D_CUBEMAP}},
              3);
}

void ask_shape(size_t width, size_t height, size_t depth, unsigned flags, unsigned levels = 0) {
  char question[128];
  snprintf(question, sizeof question, "%zu x %zu x %zu flags 0x%x levels %u", width, height, depth,
           flags, levels);
  const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, uint8, 1, flags};
  const int code = levels ? created(shape, levels) : created(shape);
  conformance::answer(question, static_cast<CUresult>(code));
}

CASE(array_extents) {
  start();
  for (size_t width : {0, 4})
    for (size_t height : {0, 4})
      for (size_t depth : {0, 4, 6, 12})
        for (unsigned flags : {0u, 1u, 4u, 5u, 8u, 9u}) ask_shape(width, height, depth, flags);
  ask_shape(4, 5, 6, 4);
  ask_shape(4, 4, 7, 4);
  ask_shape(4, 4, 5, 5);
  ask_shape(largest, 0, 0, 0);
  ask_shape(4, largest, 0, 0);
  ask_shape(4, 4, largest, 0);
}

// On both sides of each limit.
void ask_limits(unsigned flags, unsigned levels) {
  for (size_t width : {32768, 32769, 131072, 131073}) ask_shape(width, 0, 0, flags, levels);
  for (size_t width : {32768, 32769, 131072, 131073}) ask_shape(width, 1, 0, flags, levels);
  for (size_t height : {32768, 32769, 65536, 65537}) ask_shape(1, height, 0, flags, levels);
  for (size_t edge : {2048, 2049, 8192, 8193, 16384, 16385, 32768, 32769}) {
    ask_shape(edge, 1, 1, flags, levels);
    ask_shape(1, edge, 1, flags, levels);
    ask_shape(1, 1, edge, flags, levels);
  }
  ask_shape(8192, 1, 32768, flags, levels);
  ask_shape(8193, 1, 32768, flags, levels);
  ask_shape(1, 8192, 32768, flags, levels);
  ask_shape(1, 8193, 32768, flags, levels);
  ask_shape(16384, 1, 16385, flags, levels);
  const unsigned layered = flags | CUDA_ARRAY3D_LAYERED, cube = flags | CUDA_ARRAY3D_CUBEMAP;
  for (size_t width : {32768, 32769}) {
    ask_shape(width, 0, 1, layered, levels);
    ask_shape(width, 1, 1, layered, levels);
    ask_shape(1, width, 1, layered, levels);
    ask_shape(width, width, 6, cube, levels);
    if (width == 32769) ask_shape(width, width, 6, cube | layered, levels);
  }
  for (size_t layers : {2048, 2049}) {
    ask_shape(4, 0, layers, layered, levels);
    ask_shape(4, 4, layers, layered, levels);
  }
  for (size_t layers : {2046, 2052}) ask_shape(4, 4, layers, cube | layered, levels);
}

CASE(array_limits) {
  start();
  ask_limits(0, 0);
}
CASE(array_limits_for_surfaces) {
  start();
  ask_limits(CUDA_ARRAY3D_SURFACE_LDST, 0);
}
CASE(array_limits_for_gather) {
  start();
  for (size_t edge : {32768, 32769}) {
    ask_shape(edge, 1, 0, CUDA_ARRAY3D_TEXTURE_GATHER);
    ask_shape(1, edge, 0, CUDA_ARRAY3D_TEXTURE_GATHER);
  }
}
CASE(mipmapped_array_limits) {
  start();
  ask_limits(0, 2);
}
CASE(mipmapped_array_limits_for_surfaces) {
  start();
  ask_limits(CUDA_ARRAY3D_SURFACE_LDST, 2);
}

CASE(array_flags) {
  start();
  for (unsigned bit : {0, 1, 2, 3, 4, 5, 8, 9, 10, 30})
    for (unsigned with : {0u, 1u, 2u}) {
      ask_shape(64, 64, with == 1 ? 4 : 0, 1u << bit | with);
      ask_shape(64, 0, with == 1 ? 4 : 0, 1u << bit | with);
      ask_shape(16, 16, 4, 1u << bit | with);
      ask_shape(64, 64, with == 1 ? 4 : 0, 1u << bit | with, 3);
    }
  ask_shape(512, 512, 0, 0x0a);
}

void ask_descriptors(const char* what, CUarray array) {
  CUDA_ARRAY_DESCRIPTOR two;
  CUDA_ARRAY3D_DESCRIPTOR three;
  memset(&two, 0x55, sizeof two);
  memset(&three, 0x55, sizeof three);
  conformance::answer((std::string(what) + ": cuArrayGetDescriptor").c_str(),
                      cuArrayGetDescriptor(&two, array));
  conformance::answer((std::string(what) + ": cuArray3DGetDescriptor").c_str(),
                      cuArray3DGetDescriptor(&three, array));
  char text[160];
  snprintf(text, sizeof text,
           "%zx %zx format %x channels %u, %zx %zx %zx format %x channels %u flags %x", two.Width,
           two.Height, two.Format, two.NumChannels, three.Width, three.Height, three.Depth,
           three.Format, three.NumChannels, three.Flags);
  conformance::say(what, text);
}

CASE(array_descriptors) {
  start();
  CUarray a = nullptr;
  for (CUDA_ARRAY3D_DESCRIPTOR shape : std::vector<CUDA_ARRAY3D_DESCRIPTOR>{
           {64, 0, 0, uint8, 1, 0},
           {64, 1, 0, uint8, 2, 0},
           {64, 1, 1, uint8, 2, 0},
           {64, 32, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_SURFACE_LDST},
           {64, 32, 0, CU_AD_FORMAT_UNORM_INT8X4, 4, CUDA_ARRAY3D_TEXTURE_GATHER},
           {16, 8, 4, CU_AD_FORMAT_HALF, 4, 0},
           {64, 0, 3, uint8, 1, CUDA_ARRAY3D_LAYERED},
           {64, 8, 3, uint8, 1, CUDA_ARRAY3D_LAYERED},
           {8, 8, 6, uint8, 1, CUDA_ARRAY3D_CUBEMAP},
           {8, 8, 12, uint8, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED}}) {
    char what[64];
    snprintf(what, sizeof what, "%zu x %zu x %zu flags %x", shape.Width, shape.Height, shape.Depth,
             shape.Flags);
    PREPARE(cuArray3DCreate(&a, &shape));
    ask_descriptors(what, a);
  }
  CUDA_ARRAY_DESCRIPTOR flat{64, 0, CU_AD_FORMAT_SIGNED_INT16, 1};
  PREPARE(cuArrayCreate(&a, &flat));
  ask_descriptors("cuArrayCreate 64 x 0", a);
  flat.Height = 1;
  PREPARE(cuArrayCreate(&a, &flat));
  ask_descriptors("cuArrayCreate 64 x 1", a);
}

CASE(array_arguments) {
  start();
  CUarray a = nullptr;
  CUmipmappedArray m = nullptr;
  CUDA_ARRAY_DESCRIPTOR flat{64, 4, uint8, 1};
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 4, 0, uint8, 1, 0};
  CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
  CUDA_ARRAY_SPARSE_PROPERTIES properties;
  SURVIVE(cuArrayCreate(nullptr, &flat));
  SURVIVE(cuArrayCreate(&a, nullptr));
  SURVIVE(cuArray3DCreate(nullptr, &shape));
  SURVIVE(cuArray3DCreate(&a, nullptr));
  SURVIVE(cuMipmappedArrayCreate(nullptr, &shape, 1));
  SURVIVE(cuMipmappedArrayCreate(&m, nullptr, 1));
  PREPARE(cuArrayCreate(&a, &flat));
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 2));
  SURVIVE(cuArrayGetDescriptor(nullptr, a));
  SURVIVE(cuArray3DGetDescriptor(nullptr, a));
  SURVIVE(cuArrayGetDescriptor(&flat, nullptr));
  SURVIVE(cuArray3DGetDescriptor(&shape, nullptr));
  SURVIVE(cuArrayDestroy(nullptr));
  SURVIVE(cuMipmappedArrayDestroy(nullptr));
  CUarray level = nullptr;
  SURVIVE(cuMipmappedArrayGetLevel(nullptr, m, 0));
  SURVIVE(cuMipmappedArrayGetLevel(&level, nullptr, 0));
  ASK(cuMipmappedArrayGetLevel(&level, m, 2));
  ASK(cuMipmappedArrayGetLevel(&level, m, ~0u));
  ASK(cuArrayGetPlane(&level, a, 0));
  ASK(cuArrayGetPlane(&level, a, 1));
  SURVIVE(cuArrayGetPlane(nullptr, a, 0));
  SURVIVE(cuArrayGetPlane(&level, nullptr, 0));
  ASK(cuArrayGetMemoryRequirements(&requirements, a, 0));
  SURVIVE(cuArrayGetMemoryRequirements(nullptr, a, 0));
  SURVIVE(cuArrayGetMemoryRequirements(&requirements, nullptr, 0));
  ASK(cuArrayGetMemoryRequirements(&requirements, a, 77));
  ASK(cuMipmappedArrayGetMemoryRequirements(&requirements, m, 0));
  SURVIVE(cuMipmappedArrayGetMemoryRequirements(&requirements, nullptr, 0));
  ASK(cuArrayGetSparseProperties(&properties, a));
  SURVIVE(cuArrayGetSparseProperties(nullptr, a));
  SURVIVE(cuArrayGetSparseProperties(&properties, nullptr));
  ASK(cuMipmappedArrayGetSparseProperties(&properties, m));
  SURVIVE(cuMipmappedArrayGetSparseProperties(&properties, nullptr));
}

CASE(array_without_context) {
  PREPARE(cuInit(0));
  CUarray a = nullptr;
  CUmipmappedArray m = nullptr;
  CUDA_ARRAY_DESCRIPTOR flat{64, 4, uint8, 1};
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 4, 0, uint8, 1, 0};
  ASK(cuArrayCreate(&a, &flat));
  ASK(cuMipmappedArrayCreate(&m, &shape, 1));
  SURVIVE(cuArrayDestroy(nullptr));
  SURVIVE(cuMipmappedArrayDestroy(nullptr));
  SURVIVE(cuArrayGetDescriptor(&flat, nullptr));
  CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
  CUDA_ARRAY_SPARSE_PROPERTIES properties;
  SURVIVE(cuArrayGetMemoryRequirements(&requirements, nullptr, 0));
  SURVIVE(cuArrayGetSparseProperties(&properties, nullptr));
  SURVIVE(cuArrayGetPlane(&a, nullptr, 0));
  size_t width = 0;
  ASK(cuDeviceGetTexture1DLinearMaxWidth(&width, uint8, 1, 0));
  start();
  PREPARE(cuArrayCreate(&a, &flat));
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 2));
  CUarray level = nullptr;
  PREPARE(cuMipmappedArrayGetLevel(&level, m, 1));
  PREPARE(cuCtxSetCurrent(nullptr));
  SURVIVE(cuArrayGetDescriptor(&flat, a));
  ASK(cuArray3DGetDescriptor(&shape, a));
  ASK(cuArrayGetMemoryRequirements(&requirements, a, 0));
  ASK(cuArrayGetSparseProperties(&properties, a));
  ASK(cuArrayGetPlane(&level, a, 0));
  ASK(cuMipmappedArrayGetLevel(&level, m, 0));
  ASK(cuArrayDestroy(level));
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuMipmappedArrayDestroy(m));
}

CASE(array_of_another_context) {
  start();
  CUcontext other = nullptr;
  CUarray a = nullptr;
  CUDA_ARRAY_DESCRIPTOR flat{64, 4, uint8, 1};
  PREPARE(cuArrayCreate(&a, &flat));
  PREPARE(cuCtxCreate_v4(&other, nullptr, 0, 0));
  char host[64] = {};
  SURVIVE(cuArrayGetDescriptor(&flat, a));
  ASK(cuMemcpyHtoA(a, 0, host, 64));
  SURVIVE(cuArrayDestroy(a));
}

CASE(array_destroyed_twice) {
  start();
  CUarray a = nullptr;
  CUDA_ARRAY_DESCRIPTOR flat{64, 4, uint8, 1};
  PREPARE(cuArrayCreate(&a, &flat));
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuArrayGetDescriptor(&flat, a));
  SURVIVE(cuArrayDestroy(a));
}
CASE(array_handle_of_nothing) {
  start();
  CUDA_ARRAY_DESCRIPTOR flat{64, 4, uint8, 1};
  SURVIVE(cuArrayGetDescriptor(&flat, reinterpret_cast<CUarray>(0x1230)));
}
CASE(mipmapped_array_destroyed_twice) {
  start();
  CUmipmappedArray m = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 4, 0, uint8, 1, 0};
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 2));
  SURVIVE(cuMipmappedArrayDestroy(m));
  SURVIVE(cuMipmappedArrayDestroy(m));
}

CASE(mipmapped_array_levels) {
  start();
  CUmipmappedArray m = nullptr;
  CUarray a = nullptr, b = nullptr;
  for (CUDA_ARRAY3D_DESCRIPTOR shape : std::vector<CUDA_ARRAY3D_DESCRIPTOR>{
           {40, 0, 0, uint8, 1, 0},
           {40, 12, 0, uint8, 2, CUDA_ARRAY3D_SURFACE_LDST},
           {4, 12, 40, uint8, 1, 0},
           {8, 0, 40, uint8, 1, CUDA_ARRAY3D_LAYERED},
           {8, 4, 40, uint8, 1, CUDA_ARRAY3D_LAYERED},
           {8, 8, 12, uint8, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED}}) {
    PREPARE(cuMipmappedArrayCreate(&m, &shape, 100));
    for (unsigned level = 0; level < 8; ++level) {
      char what[96];
      snprintf(what, sizeof what, "%zu x %zu x %zu flags %x level %u", shape.Width, shape.Height,
               shape.Depth, shape.Flags, level);
      if (cuMipmappedArrayGetLevel(&a, m, level) == CUDA_SUCCESS)
        ask_descriptors(what, a);
      else
        conformance::say(what, "none");
    }
  }
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 64, 0, uint8, 1, 0};
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 0));
  ASK(cuMipmappedArrayGetLevel(&a, m, 0));
  ASK(cuMipmappedArrayGetLevel(&a, m, 1));
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 4));
  ASK(cuMipmappedArrayGetLevel(&a, m, 1));
  ASK(cuMipmappedArrayGetLevel(&b, m, 1));
  ASK(a == b);
  SURVIVE(cuArrayDestroy(a));
  ASK(cuMipmappedArrayGetLevel(&b, m, 1));
  char host[64] = {};
  ASK(cuMemcpyHtoA(b, 0, host, 32));
  SURVIVE(cuMipmappedArrayDestroy(m));
}
CASE(mipmapped_array_level_destroyed_twice) {
  start();
  CUmipmappedArray m = nullptr;
  CUarray a = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 64, 0, uint8, 1, 0};
  CUDA_ARRAY_DESCRIPTOR flat;
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 4));
  PREPARE(cuMipmappedArrayGetLevel(&a, m, 1));
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuArrayGetDescriptor(&flat, a));
  SURVIVE(cuArrayDestroy(a));
}
CASE(mipmapped_array_level_outlives) {
  start();
  CUmipmappedArray m = nullptr;
  CUarray a = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 64, 0, uint8, 1, 0};
  CUDA_ARRAY_DESCRIPTOR flat;
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 4));
  PREPARE(cuMipmappedArrayGetLevel(&a, m, 1));
  SURVIVE(cuMipmappedArrayDestroy(m));
  SURVIVE(cuArrayGetDescriptor(&flat, a));
}

constexpr unsigned video = 0x100;  // CUDA_ARRAY3D_VIDEO_ENCODE_DECODE

// Prints how many bytes and rows a copy may have.
void ask_extents(const char* what, CUarray array) {
  static char host[1 << 16];
  const auto fits = [&](size_t width, size_t height) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = host;
    copy.srcPitch = 512;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = width;
    copy.Height = height;
    return cuMemcpy2D(&copy) == CUDA_SUCCESS;
  };
  size_t width = 512, height = 100;
  while (width > 0 && !fits(width, 1)) --width;
  while (height > 0 && !fits(width, height)) --height;
  conformance::say(
      (std::string(what) + " takes").c_str(),
      (std::to_string(width) + " bytes x " + std::to_string(height) + " rows").c_str());
}

CASE(array_planes) {
  start();
  for (unsigned format : {0x9fu, 0xa1u, 0xa2u, 0xa3u, 0xa4u, 0xa5u, 0xa6u, 0xa7u, 0xa8u, 0xa9u,
                          0xb0u, 0xb1u, 0xb2u, 0xb3u, 0xb4u, 0xb5u})
    for (size_t width : {63, 64})
      for (size_t height : {31, 32}) {
        CUDA_ARRAY3D_DESCRIPTOR shape{width, height, 0, static_cast<CUarray_format>(format),
                                      3,     video};
        CUarray a = nullptr;
        CUresult result = CUDA_ERROR_UNKNOWN;
        for (unsigned channels = 1; channels <= 4 && result != CUDA_SUCCESS; ++channels) {
          shape.NumChannels = channels;
          result = cuArray3DCreate(&a, &shape);
        }
        const std::string name =
            number(format, "0x%x ") + std::to_string(width) + " x " + std::to_string(height);
        conformance::answer(name.c_str(), result);
        if (result != CUDA_SUCCESS) continue;
        ask_descriptors(name.c_str(), a);
        ask_extents(name.c_str(), a);
        for (unsigned plane = 0; plane < 4; ++plane) {
          CUarray one = nullptr, again = nullptr;
          const std::string what = name + number(plane, " plane %u");
          result = cuArrayGetPlane(&one, a, plane);
          conformance::answer(what.c_str(), result);
          if (result != CUDA_SUCCESS) continue;
          ask_descriptors(what.c_str(), one);
          ask_extents(what.c_str(), one);
          PREPARE(cuArrayGetPlane(&again, a, plane));
          conformance::answer("the same again", one == again);
        }
      }
}
CASE(array_planes_of_other_shapes) {
  start();
  ask_formats("1D, 3D, layered, cube, surface, gather",
              {{64, 0, 0, uint8, 1, video},
               {16, 16, 4, uint8, 1, video},
               {64, 32, 4, uint8, 1, video | CUDA_ARRAY3D_LAYERED},
               {32, 32, 6, uint8, 1, video | CUDA_ARRAY3D_CUBEMAP},
               {64, 32, 0, uint8, 1, video | CUDA_ARRAY3D_SURFACE_LDST},
               {64, 32, 0, uint8, 1, video | CUDA_ARRAY3D_TEXTURE_GATHER}},
              0);
  ask_formats("levels", {{64, 32, 0, uint8, 1, video}}, 3);
}
CASE(array_plane_destroyed) {
  start();
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 32, 0, CU_AD_FORMAT_NV12, 3, video};
  CUDA_ARRAY_DESCRIPTOR flat;
  CUarray a = nullptr, plane = nullptr, again = nullptr;
  PREPARE(cuArray3DCreate(&a, &shape));
  PREPARE(cuArrayGetPlane(&plane, a, 0));
  SURVIVE(cuArrayDestroy(plane));
  SURVIVE(cuArrayGetDescriptor(&flat, plane));
  SURVIVE(cuArrayGetPlane(&again, a, 0));
  ASK(plane == again);
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuArrayGetDescriptor(&flat, plane));
}
CASE(array_of_a_destroyed_context) {
  PREPARE(cuInit(0));
  CUcontext gone = nullptr;
  PREPARE(cuCtxCreate_v4(&gone, nullptr, 0, 0));
  CUarray a = nullptr, level = nullptr;
  CUmipmappedArray m = nullptr;
  CUDA_ARRAY_DESCRIPTOR flat{64, 4, uint8, 1};
  CUDA_ARRAY3D_DESCRIPTOR shape{64, 4, 0, uint8, 1, 0};
  PREPARE(cuArrayCreate(&a, &flat));
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 2));
  PREPARE(cuMipmappedArrayGetLevel(&level, m, 1));
  PREPARE(cuCtxDestroy(gone));
  start();
  char host[64] = {};
  SURVIVE(cuArrayGetDescriptor(&flat, a));
  SURVIVE(cuMemcpyHtoA(a, 0, host, 64));
  SURVIVE(cuMipmappedArrayGetLevel(&level, m, 1));
  SURVIVE(cuArrayGetDescriptor(&flat, level));
  SURVIVE(cuArrayDestroy(level));
  SURVIVE(cuMipmappedArrayDestroy(m));
  SURVIVE(cuArrayDestroy(a));
}

CASE(texture_1d_linear_width) {
  start();
  size_t most = 0;
  SURVIVE(cuDeviceGetTexture1DLinearMaxWidth(nullptr, uint8, 1, 0));
  SURVIVE(cuDeviceGetTexture1DLinearMaxWidth(&most, uint8, 1, 77));
  SURVIVE(cuDeviceGetTexture1DLinearMaxWidth(&most, uint8, 3, 77));
  for (unsigned format : {1u, 2u, 3u, 8u, 0x10u, 0x20u, 0x77u, 0xc0u, 0x91u})
    for (unsigned channels = 0; channels <= 4; ++channels) {
      size_t width = 7;
      const std::string what = number(format, "format 0x%x") + number(channels, " channels %u");
      conformance::answer(what.c_str(),
                          cuDeviceGetTexture1DLinearMaxWidth(
                              &width, static_cast<CUarray_format>(format), channels, 0));
      conformance::answer(what.c_str(), width);
    }
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
