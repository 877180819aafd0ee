// SPDX-License-Identifier: Apache-2.0
// Copies with arrays at the limits: which boxes are refused, where the bytes of the others go, and
// when the calls return.
#include "gate.hpp"
#include "survive.hpp"

namespace {

constexpr size_t largest = ~size_t{0};
constexpr auto uint8 = CU_AD_FORMAT_UNSIGNED_INT8;
CUcontext context;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&context, 0));
  PREPARE(cuCtxSetCurrent(context));
}

// An array, and functions that clear it and show what has been written to it.
struct Scene {
  CUarray array = nullptr;
  size_t row = 0, rows = 0, slices = 0;  // size as copies count it; row in bytes

  Scene(size_t width, size_t height, size_t depth, CUarray_format format, unsigned channels,
        unsigned flags, size_t row, size_t rows)
      : row(row), rows(rows), slices(depth ? depth : 1) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, channels, flags};
    PREPARE(cuArray3DCreate(&array, &shape));
    clear();
  }
  CUDA_MEMCPY3D whole() const {
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = row;
    copy.Height = rows;
    copy.Depth = slices;
    return copy;
  }
  void clear() const {
    std::vector<char> zero(row * rows * slices);
    CUDA_MEMCPY3D copy = whole();
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = zero.data();
    copy.srcPitch = row;
    copy.srcHeight = rows;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    PREPARE(cuMemcpy3D(&copy));
  }
  // Describes the bytes that are not zero: how many, and the first and the last with their values.
  std::string contents() const {
    std::vector<unsigned char> all(row * rows * slices, 0xee);
    CUDA_MEMCPY3D copy = whole();
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = all.data();
    copy.dstPitch = row;
    copy.dstHeight = rows;
    PREPARE(cuMemcpy3D(&copy));
    size_t count = 0, first = 0, last = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] == 0) continue;
      if (count++ == 0) first = i;
      last = i;
    }
    if (count == 0) return "nothing";
    return std::to_string(count) + " bytes from " + std::to_string(first) + " (" +
           std::to_string(all[first]) + ") to " + std::to_string(last) + " (" +
           std::to_string(all[last]) + ")";
  }
};

Scene line() { return {256, 0, 0, uint8, 1, 0, 256, 1}; }
Scene plane() { return {64, 16, 0, uint8, 4, 0, 256, 16}; }
Scene volume() { return {16, 8, 4, uint8, 4, 0, 64, 8}; }
Scene layers() { return {16, 8, 4, uint8, 4, CUDA_ARRAY3D_LAYERED, 64, 8}; }

std::vector<unsigned char> counting(size_t size) {
  std::vector<unsigned char> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(1 + i % 250);
  return bytes;
}

// Prints the result of a call, and what it has written into the array.
#define WRITES(scene, call)                              \
  do {                                                   \
    (scene).clear();                                     \
    SURVIVE(call);                                       \
    conformance::say(#call, (scene).contents().c_str()); \
  } while (false)

CASE(copies_of_a_line) {
  start();
  const Scene a = line(), b = line(), wide{64, 0, 0, uint8, 4, 0, 256, 1};
  const auto bytes = counting(4096);
  const unsigned char* h = bytes.data();
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 1024));
  PREPARE(cuMemcpyHtoD(p, h, 1024));
  static unsigned char out[4096];
  WRITES(a, cuMemcpyHtoA(a.array, 0, h, 256));
  WRITES(a, cuMemcpyHtoA(a.array, 3, h, 5));
  WRITES(a, cuMemcpyHtoA(a.array, 0, h, 0));
  WRITES(a, cuMemcpyHtoA(a.array, 256, h, 0));
  WRITES(a, cuMemcpyHtoA(a.array, 1000, h, 0));
  WRITES(a, cuMemcpyHtoA(a.array, 0, h, 257));
  WRITES(a, cuMemcpyHtoA(a.array, 256, h, 1));
  WRITES(a, cuMemcpyHtoA(a.array, 255, h, 1));
  WRITES(a, cuMemcpyHtoA(a.array, largest, h, 2));
  WRITES(a, cuMemcpyHtoA(a.array, 2, h, largest));
  WRITES(a, cuMemcpyHtoA(a.array, 0, nullptr, 4));
  WRITES(a, cuMemcpyHtoA(nullptr, 0, h, 4));
  WRITES(a, cuMemcpyHtoA(nullptr, 0, h, 0));
  WRITES(wide, cuMemcpyHtoA(wide.array, 2, h, 4));
  WRITES(wide, cuMemcpyHtoA(wide.array, 4, h, 6));
  WRITES(wide, cuMemcpyHtoA(wide.array, 4, h, 8));
  WRITES(wide, cuMemcpyHtoAAsync(wide.array, 4, h, 6, nullptr));
  WRITES(wide, cuMemcpyHtoAAsync(wide.array, 4, h, 8, nullptr));
  WRITES(a, cuMemcpyDtoA(a.array, 3, p + 1, 5));
  WRITES(a, cuMemcpyDtoA(a.array, 3, p + 1020, 5));
  WRITES(a, cuMemcpyDtoA(a.array, 3, 0, 5));
  WRITES(a, cuMemcpyDtoA(a.array, 3, reinterpret_cast<CUdeviceptr>(h), 5));
  WRITES(a, cuMemcpyDtoA(a.array, 254, p, 5));
  WRITES(wide, cuMemcpyDtoA(wide.array, 1, p, 4));
  PREPARE(cuMemcpyHtoA(b.array, 0, h, 256));
  WRITES(a, cuMemcpyAtoA(a.array, 3, b.array, 9, 5));
  WRITES(a, cuMemcpyAtoA(a.array, 3, b.array, 253, 5));
  WRITES(a, cuMemcpyAtoA(a.array, 253, b.array, 3, 5));
  WRITES(a, cuMemcpyAtoA(a.array, 0, nullptr, 3, 5));
  WRITES(a, cuMemcpyAtoA(a.array, 0, a.array, 3, 5));
  WRITES(wide, cuMemcpyAtoA(wide.array, 4, b.array, 8, 8));
  WRITES(wide, cuMemcpyAtoA(wide.array, 4, b.array, 7, 8));
  WRITES(wide, cuMemcpyAtoA(wide.array, 2, b.array, 8, 8));
  ASK(cuMemcpyAtoH(out, b.array, 3, 5));
  ASK(out[0]);
  ASK(cuMemcpyAtoH(out, b.array, 250, 8));
  SURVIVE(cuMemcpyAtoH(nullptr, b.array, 0, 8));
  SURVIVE(cuMemcpyAtoHAsync(out, b.array, 3, 5, nullptr));
  ASK(cuMemcpyAtoD(p, b.array, 3, 5));
  ASK(cuMemcpyAtoD(p + 1020, b.array, 3, 5));
  ASK(cuMemcpyAtoD(p, b.array, 255, 5));
  ASK(cuMemcpyAtoD(0, b.array, 3, 5));
  ASK(cuMemcpyAtoH(out, wide.array, 3, 4));
  ASK(cuMemcpyAtoD(p, wide.array, 4, 6));
  ASK(cuCtxSynchronize());
}

CASE(copies_of_a_line_into_more_dimensions) {
  start();
  const auto bytes = counting(65536);
  const unsigned char* h = bytes.data();
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 65536));
  PREPARE(cuMemcpyHtoD(p, h, 65536));
  static unsigned char out[65536];
  const Scene two = plane(), three = volume(), many = layers();
  for (const Scene* scene : {&two, &three, &many}) {
    const Scene& a = *scene;
    WRITES(a, cuMemcpyHtoA(a.array, 8, h, 16));
    WRITES(a, cuMemcpyHtoA(a.array, 0, h, a.row));
    WRITES(a, cuMemcpyHtoA(a.array, 0, h, a.row + 4));
    WRITES(a, cuMemcpyHtoA(a.array, a.row - 4, h, 8));
    WRITES(a, cuMemcpyHtoA(a.array, a.row, h, 8));
    WRITES(a, cuMemcpyHtoA(a.array, 3 * a.row + 4, h, 8));
    WRITES(a, cuMemcpyHtoA(a.array, 4, h, 2 * a.row));
    WRITES(a, cuMemcpyHtoA(a.array, 0, h, a.row * a.rows));
    WRITES(a, cuMemcpyHtoA(a.array, 0, h, a.row * a.rows + 4));
    WRITES(a, cuMemcpyHtoA(a.array, a.row * a.rows, h, 4));
    WRITES(a, cuMemcpyHtoA(a.array, 0, h, a.row * a.rows * a.slices));
    WRITES(a, cuMemcpyHtoAAsync(a.array, 4, h, 2 * a.row, nullptr));
    WRITES(a, cuMemcpyDtoA(a.array, 4, p, 2 * a.row));
    PREPARE(cuMemcpyHtoA(a.array, 0, h, a.row));
    ASK(cuMemcpyAtoH(out, a.array, 0, a.row + 4));
    ASK(cuMemcpyAtoH(out, a.array, a.row, 4));
    ASK(cuMemcpyAtoD(p, a.array, a.row, 4));
    ASK(cuMemcpyAtoA(a.array, 0, a.array, a.row, 4));
  }
}

CUDA_MEMCPY2D to_array(CUarray to, const void* from) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  copy.srcPitch = 64;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = to;
  copy.WidthInBytes = 64;
  copy.Height = 4;
  return copy;
}

CASE(copies_2d) {
  start();
  const auto bytes = counting(65536);
  const unsigned char* h = bytes.data();
  static unsigned char out[65536];
  CUdeviceptr p = 0;
  PREPARE(cuMemAlloc(&p, 65536));
  PREPARE(cuMemcpyHtoD(p, h, 65536));
  const Scene one = line(), two = plane(), three = volume(), many = layers();
  CUDA_MEMCPY2D copy;
#define WITH(scene, ...)                                                             \
  (scene).clear();                                                                   \
  copy = to_array((scene).array, h);                                                 \
  __VA_ARGS__;                                                                       \
  conformance::survive(#scene ": " #__VA_ARGS__, [&] { return cuMemcpy2D(&copy); }); \
  conformance::say(#scene ": " #__VA_ARGS__, (scene).contents().c_str())
  WITH(two, copy.Height = 16);
  WITH(two, copy.Height = 17);
  WITH(two, copy.dstY = 12);
  WITH(two, copy.dstY = 13);
  WITH(two, copy.dstXInBytes = 192);
  WITH(two, copy.dstXInBytes = 196);
  WITH(two, copy.dstXInBytes = 2);
  WITH(two, copy.dstXInBytes = 2, copy.Height = 0);
  WITH(two, copy.WidthInBytes = 62);
  WITH(two, copy.WidthInBytes = 0);
  WITH(two, copy.dstXInBytes = largest);
  WITH(two, copy.dstXInBytes = largest - 3);
  WITH(two, copy.dstY = largest);
  WITH(two, copy.Height = largest);
  WITH(two, copy.dstPitch = 3);
  WITH(two, copy.dstPitch = size_t{1} << 40);
  WITH(two, copy.srcPitch = 32);
  WITH(two, copy.srcPitch = 0);
  WITH(two, copy.srcXInBytes = 3, copy.srcPitch = 80);
  WITH(two, copy.srcHost = nullptr);
  WITH(two, copy.dstArray = nullptr);
  WITH(two, copy.dstArray = nullptr, copy.Height = 0);
  WITH(two, copy.dstDevice = 77, copy.dstHost = out);
  WITH(one, copy.Height = 1);
  WITH(one, copy.Height = 2);
  WITH(one, copy.Height = 1, copy.dstY = 1);
  WITH(three, copy.Height = 8);
  WITH(three, copy.Height = 9);
  WITH(three, copy.Height = 1, copy.dstY = 8);
  WITH(many, copy.Height = 8);
  WITH(many, copy.Height = 9);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = p);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = p, copy.srcPitch = 100,
       copy.WidthInBytes = 60);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
       copy.srcDevice = reinterpret_cast<CUdeviceptr>(h));
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = one.array);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = one.array, copy.Height = 1);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = one.array, copy.Height = 1,
       copy.srcXInBytes = 3);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = two.array);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = two.array, copy.srcY = 2);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = two.array, copy.srcY = 8);
  WITH(two, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = three.array);
  copy = to_array(two.array, h);
  ASK(cuMemcpy2DUnaligned(&copy));
  ASK(cuMemcpy2DAsync(&copy, nullptr));
  copy.dstXInBytes = 2;
  ASK(cuMemcpy2DUnaligned(&copy));
  ASK(cuMemcpy2DAsync(&copy, nullptr));
  ASK(cuCtxSynchronize());
}

CASE(copies_3d) {
  start();
  const auto bytes = counting(65536);
  const unsigned char* h = bytes.data();
  const Scene one = line(), two = plane(), three = volume(), many = layers();
  const Scene lines{16, 0, 4, uint8, 4, CUDA_ARRAY3D_LAYERED, 64, 1};
  const Scene cube{16, 16, 6, uint8, 4, CUDA_ARRAY3D_CUBEMAP, 64, 16};
  CUDA_MEMCPY3D copy;
#undef WITH
#define WITH(scene, ...)                                                             \
  (scene).clear();                                                                   \
  copy = {};                                                                         \
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;                                           \
  copy.srcHost = h;                                                                  \
  copy.srcPitch = 64;                                                                \
  copy.srcHeight = 8;                                                                \
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;                                          \
  copy.dstArray = (scene).array;                                                     \
  copy.WidthInBytes = 64;                                                            \
  copy.Height = 8;                                                                   \
  copy.Depth = 2;                                                                    \
  __VA_ARGS__;                                                                       \
  conformance::survive(#scene ": " #__VA_ARGS__, [&] { return cuMemcpy3D(&copy); }); \
  conformance::say(#scene ": " #__VA_ARGS__, (scene).contents().c_str())
  WITH(three, copy.Depth = 4);
  WITH(three, copy.Depth = 5);
  WITH(three, copy.dstZ = 2);
  WITH(three, copy.dstZ = 3);
  WITH(three, copy.dstZ = 4, copy.Depth = 1);
  WITH(three, copy.dstZ = largest);
  WITH(three, copy.Depth = largest);
  WITH(three, copy.dstY = 1);
  WITH(three, copy.dstXInBytes = 4);
  WITH(three, copy.dstXInBytes = 2, copy.WidthInBytes = 8);
  WITH(three, copy.WidthInBytes = 6);
  WITH(three, copy.Depth = 0);
  WITH(three, copy.srcHeight = 4);
  WITH(three, copy.dstHeight = 4, copy.dstPitch = 7);
  WITH(three, copy.srcHeight = 0);
  WITH(three, copy.srcHeight = 0, copy.Depth = 1);
  WITH(three, copy.dstLOD = 1);
  WITH(three, copy.srcLOD = 1);
  WITH(many, copy.Depth = 4);
  WITH(many, copy.Depth = 5);
  WITH(many, copy.dstZ = 3, copy.Depth = 1);
  WITH(lines, copy.Height = 1, copy.srcHeight = 1);
  WITH(lines, copy.Height = 2);
  WITH(lines, copy.Height = 1, copy.dstZ = 3, copy.Depth = 1);
  WITH(lines, copy.Height = 4, copy.Depth = 1);
  WITH(cube, copy.dstZ = 4);
  WITH(cube, copy.dstZ = 5);
  WITH(two, copy.Depth = 1);
  WITH(two, copy.Depth = 2);
  WITH(two, copy.Depth = 1, copy.dstZ = 1);
  WITH(one, copy.Height = 1, copy.Depth = 1);
  WITH(one, copy.Height = 1, copy.Depth = 2);
  WITH(three, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = many.array);
  WITH(three, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = three.array, copy.srcZ = 1);
  WITH(three, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = cube.array, copy.srcZ = 5);
  WITH(three, copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = cube.array, copy.srcZ = 4);
  CUDA_MEMCPY3D_PEER peer{};
  peer.srcMemoryType = CU_MEMORYTYPE_HOST;
  peer.srcHost = h;
  peer.srcPitch = 64;
  peer.srcHeight = 8;
  peer.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  peer.dstArray = three.array;
  peer.WidthInBytes = 64;
  peer.Height = 8;
  peer.Depth = 2;
  ASK(cuMemcpy3DPeer(&peer));
  peer.dstContext = context;
  peer.srcContext = context;
  ASK(cuMemcpy3DPeer(&peer));
  ASK(cuMemcpy3DPeerAsync(&peer, nullptr));
  ASK(cuMemcpy3DAsync(&copy, nullptr));
  ASK(cuCtxSynchronize());
}

// Copies into arrays of blocks or planes: shows the unit in which rows and columns count.
CASE(copies_of_blocks) {
  start();
  const auto bytes = counting(65536);
  CUDA_MEMCPY2D copy;
  for (CUarray_format format : {CU_AD_FORMAT_BC1_UNORM, CU_AD_FORMAT_BC7_UNORM}) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{64, 32, 0, format, 4, 0};
    CUarray a = nullptr;
    const CUresult result = cuArray3DCreate(&a, &shape);
    conformance::answer("block-compressed 64 x 32", result);
    if (result != CUDA_SUCCESS) continue;
    const size_t block = format == CU_AD_FORMAT_BC1_UNORM ? 8 : 16;
    for (size_t width : {size_t{8}, size_t{16}, 16 * block, 16 * block + block, 64 * block})
      for (size_t height : {1, 8, 9, 32, 33}) {
        copy = to_array(a, bytes.data());
        copy.srcPitch = 2048;
        copy.WidthInBytes = width;
        copy.Height = height;
        char question[64];
        snprintf(question, sizeof question, "%zu bytes x %zu rows", width, height);
        conformance::answer(question, cuMemcpy2D(&copy));
      }
    copy = to_array(a, bytes.data());
    copy.WidthInBytes = block;
    for (size_t x : {size_t{4}, size_t{8}, block, 15 * block, 16 * block}) {
      copy.dstXInBytes = x;
      conformance::answer(("x " + std::to_string(x)).c_str(), cuMemcpy2D(&copy));
    }
    for (size_t y : {1, 4, 5}) {
      copy = to_array(a, bytes.data());
      copy.dstY = y;
      conformance::answer(("y " + std::to_string(y)).c_str(), cuMemcpy2D(&copy));
    }
    ASK(cuMemcpyHtoA(a, 0, bytes.data(), 8));
    ASK(cuMemcpyHtoA(a, 0, bytes.data(), 16 * block));
    ASK(cuMemcpyHtoA(a, 0, bytes.data(), 17 * block));
    const CUDA_ARRAY3D_DESCRIPTOR odd{10, 6, 0, format, 4, 0};
    ASK(cuArray3DCreate(&a, &odd));
    copy = to_array(a, bytes.data());
    copy.WidthInBytes = 3 * block;
    copy.Height = 2;
    ASK(cuMemcpy2D(&copy));
    copy.Height = 3;
    ASK(cuMemcpy2D(&copy));
  }
}

CASE(copies_between_formats) {
  start();
  struct Format {
    const char* name;
    CUarray_format format;
    unsigned channels;
  };
  const Format formats[] = {{"uint8", uint8, 1},
                            {"uint8 x 4", uint8, 4},
                            {"float", CU_AD_FORMAT_FLOAT, 1},
                            {"half x 4", CU_AD_FORMAT_HALF, 4},
                            {"uint32 x 4", CU_AD_FORMAT_UNSIGNED_INT32, 4},
                            {"BC1", CU_AD_FORMAT_BC1_UNORM, 4},
                            {"BC4", CU_AD_FORMAT_BC4_UNORM, 1},
                            {"BC7", CU_AD_FORMAT_BC7_UNORM, 4}};
  for (const Format& from : formats)
    for (const Format& to : formats) {
      CUarray a = nullptr, b = nullptr;
      CUDA_ARRAY3D_DESCRIPTOR shape{64, 64, 0, from.format, from.channels, 0};
      PREPARE(cuArray3DCreate(&a, &shape));
      shape.Format = to.format;
      shape.NumChannels = to.channels;
      PREPARE(cuArray3DCreate(&b, &shape));
      CUDA_MEMCPY2D copy{};
      copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.srcArray = a;
      copy.dstArray = b;
      copy.WidthInBytes = 32;
      copy.Height = 4;
      const std::string what = std::string(from.name) + " to " + to.name;
      conformance::answer(what.c_str(), cuMemcpy2D(&copy));
      conformance::answer((what + ", AtoA").c_str(), cuMemcpyAtoA(b, 0, a, 0, 32));
      PREPARE(cuArrayDestroy(a));
      PREPARE(cuArrayDestroy(b));
    }
}

CASE(copies_of_levels) {
  start();
  const auto bytes = counting(65536);
  const CUDA_ARRAY3D_DESCRIPTOR shape{64, 32, 0, uint8, 4, 0};
  CUmipmappedArray m = nullptr;
  CUarray level = nullptr;
  PREPARE(cuMipmappedArrayCreate(&m, &shape, 4));
  PREPARE(cuMipmappedArrayGetLevel(&level, m, 2));
  CUDA_MEMCPY2D copy = to_array(level, bytes.data());
  copy.Height = 8;
  ASK(cuMemcpy2D(&copy));
  copy.Height = 9;
  ASK(cuMemcpy2D(&copy));
  copy.Height = 8;
  copy.WidthInBytes = 68;
  ASK(cuMemcpy2D(&copy));
  ASK(cuMemcpyHtoA(level, 0, bytes.data(), 64));
}

CASE(copy_with_a_destroyed_array) {
  start();
  const Scene a = line();
  char host[16] = {};
  SURVIVE(cuArrayDestroy(a.array));
  SURVIVE(cuMemcpyHtoA(a.array, 0, host, 16));
}

CASE(when_copies_of_arrays_return) {
  start();
  constexpr size_t size = 64 << 10;
  static char own[size];
  CUdeviceptr p = 0;
  void* host = nullptr;
  PREPARE(cuMemAlloc(&p, size));
  PREPARE(cuMemAllocHost(&host, size));
  char* const pinned = static_cast<char*>(host);
  CUstream s = nullptr;
  PREPARE(cuStreamCreate(&s, CU_STREAM_DEFAULT));
  const Scene a{size, 0, 0, uint8, 1, 0, size, 1}, b{size, 0, 0, uint8, 1, 0, size, 1};
  const Scene two{256, 256, 0, uint8, 1, 0, 256, 256};
#define RETURN_OF(expected, call) \
  conformance::ask_when_it_returns(#call, s, conformance::Expected::expected, [&] { return call; })
  RETURN_OF(waits, cuMemcpyHtoA(a.array, 0, own, size));
  RETURN_OF(waits, cuMemcpyHtoA(a.array, 0, own, 64));
  RETURN_OF(waits, cuMemcpyHtoA(a.array, 0, pinned, size));
  RETURN_OF(waits, cuMemcpyAtoH(own, a.array, 0, size));
  RETURN_OF(waits, cuMemcpyAtoH(pinned, a.array, 0, size));
  RETURN_OF(comes_back, cuMemcpyAtoD(p, a.array, 0, size));
  RETURN_OF(comes_back, cuMemcpyDtoA(a.array, 0, p, size));
  RETURN_OF(comes_back, cuMemcpyAtoA(b.array, 0, a.array, 0, size));
  RETURN_OF(comes_back, cuMemcpyHtoAAsync(a.array, 0, own, size, s));
  RETURN_OF(comes_back, cuMemcpyHtoAAsync(a.array, 0, pinned, size, s));
  RETURN_OF(waits, cuMemcpyAtoHAsync(own, a.array, 0, size, s));
  RETURN_OF(comes_back, cuMemcpyAtoHAsync(pinned, a.array, 0, size, s));
  CUDA_MEMCPY2D copy = to_array(two.array, own);
  copy.Height = 256;
  RETURN_OF(waits, cuMemcpy2D(&copy));
  RETURN_OF(comes_back, cuMemcpy2DAsync(&copy, s));
  copy.srcHost = pinned;
  RETURN_OF(waits, cuMemcpy2D(&copy));
  RETURN_OF(comes_back, cuMemcpy2DAsync(&copy, s));
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = p;
  RETURN_OF(comes_back, cuMemcpy2D(&copy));
  RETURN_OF(waits, cuArrayDestroy(b.array));
}

}  // namespace
