// SPDX-License-Identifier: Apache-2.0
// Copies with arrays: round trips of every format and shape, rows, and refusals.
#include <cuda.h>

#include <algorithm>
#include <cstring>

#include "tests/api/driver/arrays.hpp"
#include "tests/api/driver/values.hpp"

namespace {

constexpr ElementFormat bytes1{CU_AD_FORMAT_UNSIGNED_INT8, 1, 1},
    bytes4{CU_AD_FORMAT_UNSIGNED_INT8, 4, 4}, bytes16{CU_AD_FORMAT_FLOAT, 4, 16},
    blocks8{CU_AD_FORMAT_BC1_UNORM, 4, 8, 4}, blocks16{CU_AD_FORMAT_BC7_UNORM, 4, 16, 4};

// A one-dimensional array with these bytes, and its contents.
CUarray new_line(const std::vector<uint8_t>& bytes) {
  const CUarray line = new_array(bytes.size(), 0, 0, 0, bytes1);
  write_all(line, {bytes.size(), 1, 1}, bytes);
  return line;
}
std::vector<uint8_t> contents(CUarray line) { return read_all(line, {256, 1, 1}); }

std::vector<uint8_t> patched(std::vector<uint8_t> bytes, size_t at,
                             const std::vector<uint8_t>& with) {
  std::copy(with.begin(), with.end(), bytes.begin() + static_cast<ptrdiff_t>(at));
  return bytes;
}

TEST(cuMemcpy3D, RoundTripsOfEveryFormatAndShape) {
  const Scene scene;
  struct Shape {
    size_t width, height, depth;
    unsigned flags;
  };
  const Shape shapes[] = {{67, 0, 0, 0},
                          {1, 0, 0, 0},
                          {37, 21, 0, 0},
                          {64, 64, 0, 0},
                          {13, 11, 5, 0},
                          {37, 0, 6, layered},
                          {13, 11, 6, layered},
                          {12, 12, 6, cube},
                          {9, 9, 12, cube | layered},
                          {33, 7, 0, CUDA_ARRAY3D_TEXTURE_GATHER}};
  unsigned seed = 0;
  for (const ElementFormat& format : element_formats())
    for (const Shape& shape : shapes) {
      if (format.block > 1 && shape.height == 0) continue;  // there are no one-dimensional ones
      const auto descriptor = shape_of(shape.width, shape.height, shape.depth, shape.flags, format);
      SCOPED_TRACE(testing::Message()
                   << format.format << " x " << format.channels << ", " << shape.width << " x "
                   << shape.height << " x " << shape.depth << " flags " << shape.flags);
      const ByteExtents extents = ByteExtents::of(descriptor, format);
      const CUarray array = new_array(descriptor), other = new_array(descriptor);
      const auto bytes = different_bytes(extents.size(), ++seed);
      write_all(array, extents, bytes);
      ASSERT_EQ(read_all(array, extents), bytes);
      // Copies through another array and device memory.
      CUDA_MEMCPY3D copy = whole_copy(array, extents, false, nullptr);
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = other;
      OK(cuMemcpy3D(&copy));
      const CUdeviceptr memory = new_memory(extents.size());
      copy = whole_copy(other, extents, false, nullptr);
      copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      copy.dstDevice = memory;
      OK(cuMemcpy3D(&copy));
      std::vector<uint8_t> got(extents.size());
      OK(cuMemcpyDtoH(got.data(), memory, got.size()));
      ASSERT_EQ(got, bytes);
      OK(cuMemFree(memory));
      OK(cuArrayDestroy(array));
      OK(cuArrayDestroy(other));
    }
}

TEST(cuMemcpy3D, ABoxOfAnArrayAndNothingElse) {
  const Scene scene;
  const auto descriptor = shape_of(16, 8, 6, layered, bytes4);
  const ByteExtents extents = ByteExtents::of(descriptor, bytes4);
  const CUarray array = new_array(descriptor);
  auto expected = different_bytes(extents.size());
  write_all(array, extents, expected);
  auto bytes = different_bytes(1000, 7);
  CUDA_MEMCPY3D copy = whole_copy(array, extents, true, bytes.data());
  copy.srcXInBytes = 3, copy.srcY = 1, copy.srcZ = 1, copy.srcPitch = 20, copy.srcHeight = 5;
  copy.dstXInBytes = 8, copy.dstY = 2, copy.dstZ = 3;
  copy.WidthInBytes = 12, copy.Height = 3, copy.Depth = 2;
  // "ignored" for arrays.
  copy.dstPitch = 3, copy.dstHeight = 1, copy.dstDevice = 77;
  OK(cuMemcpy3D(&copy));
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 3; ++y)
      memcpy(&expected[((z + 3) * extents.rows + y + 2) * extents.row + 8],
             &bytes[((z + 1) * 5 + y + 1) * 20 + 3], 12);
  EXPECT_EQ(read_all(array, extents), expected);
}

TEST(cuMemcpy3D, RefusesABoxThatLeavesTheArray) {
  const Scene scene;
  const ByteExtents extents{64, 8, 4};
  const CUarray volume = new_array(16, 8, 4), layers = new_array(16, 8, 4, layered);
  std::vector<uint8_t> bytes(65536);
  const auto result = [&](CUarray array, auto change) {
    CUDA_MEMCPY3D copy = whole_copy(array, extents, true, bytes.data());
    change(copy);
    const CUresult answer = cuMemcpy3D(&copy);
    EXPECT_EQ(cuMemcpy3DAsync(&copy, nullptr), answer);
    return answer;
  };
  for (CUarray array : {volume, layers}) {
    EXPECT_EQ(result(array, [](auto&) {}), CUDA_SUCCESS);
    EXPECT_EQ(result(array, [](auto& c) { c.Depth = 5; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.Height = 9; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.WidthInBytes = 68, c.srcPitch = 68; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstZ = 1; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstY = 1; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstXInBytes = 4; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstZ = largest; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstY = largest; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstXInBytes = largest - 3; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.Depth = largest; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstZ = 3, c.Depth = 1; }), CUDA_SUCCESS);
    EXPECT_EQ(result(array, [](auto& c) { c.dstZ = 4, c.Depth = 1; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstZ = 9, c.Depth = 0; }), CUDA_SUCCESS) << "nothing";
    EXPECT_EQ(result(array, [](auto& c) { c.dstLOD = 1; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.dstArray = nullptr; }), invalid);
    EXPECT_EQ(result(array, [](auto& c) { c.srcHost = nullptr; }), invalid);
    // "srcXInBytes must be evenly divisible by the array element size": a GPU does not ask for it.
    EXPECT_EQ(result(array, [](auto& c) { c.dstXInBytes = 2, c.WidthInBytes = 4; }), CUDA_SUCCESS);
    // The documentation requires nothing of the width, and it is not checked.
    EXPECT_EQ(result(array, [](auto& c) { c.WidthInBytes = 6; }), CUDA_SUCCESS);
  }
  // An array with fewer dimensions has one row, or one slice.
  const CUarray line = new_array(16), plane = new_array(16, 8);
  EXPECT_EQ(result(plane, [](auto& c) { c.Depth = 1; }), CUDA_SUCCESS);
  EXPECT_EQ(result(plane, [](auto& c) { c.Depth = 2; }), invalid);
  EXPECT_EQ(result(line, [](auto& c) { c.Depth = 1, c.Height = 1; }), CUDA_SUCCESS);
  EXPECT_EQ(result(line, [](auto& c) { c.Depth = 1, c.Height = 2; }), invalid);
  const CUarray lines = new_array(16, 0, 4, layered);
  EXPECT_EQ(result(lines, [](auto& c) { c.Height = 1; }), CUDA_SUCCESS);
  EXPECT_EQ(result(lines, [](auto& c) { c.Height = 4, c.Depth = 1; }), invalid);
}

TEST(cuMemcpy3D, RefusesHandlesThatAreNoArrays) {
  const Scene scene;
  std::vector<uint8_t> bytes(64);
  for (void* handle : foreign_handles(scene.context)) {
    const CUDA_MEMCPY3D to =
        whole_copy(static_cast<CUarray>(handle), {64, 1, 1}, true, bytes.data());
    const CUDA_MEMCPY3D from =
        whole_copy(static_cast<CUarray>(handle), {64, 1, 1}, false, bytes.data());
    const CUresult expected = handle ? CUDA_ERROR_INVALID_HANDLE : invalid;
    EXPECT_EQ(cuMemcpy3D(&to), expected);
    EXPECT_EQ(cuMemcpy3D(&from), expected);
  }
}

TEST(cuMemcpy3DPeer, TakesArrays) {
  const Scene scene;
  CUcontext other = nullptr;
  OK(cuCtxCreate_v4(&other, nullptr, 0, 0));
  const CUarray there = new_array(16, 8, 4);
  OK(cuCtxSetCurrent(scene.context));
  const CUarray here = new_array(16, 8, 4);
  const ByteExtents extents{64, 8, 4};
  const auto bytes = different_bytes(extents.size());
  write_all(there, extents, bytes);
  CUDA_MEMCPY3D_PEER copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = there, copy.dstArray = here;
  copy.srcContext = other, copy.dstContext = scene.context;
  copy.WidthInBytes = 64, copy.Height = 8, copy.Depth = 4;
  OK(cuMemcpy3DPeer(&copy));
  EXPECT_EQ(read_all(here, extents), bytes);
  write_all(there, extents, different_bytes(extents.size(), 2));
  OK(cuMemcpy3DPeerAsync(&copy, nullptr));
  EXPECT_EQ(read_all(here, extents), different_bytes(extents.size(), 2));
  OK(cuCtxDestroy(other));
  EXPECT_EQ(cuMemcpy3DPeerAsync(&copy, nullptr), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST(cuMemcpy2D, CountsBlocks) {
  const Scene scene;
  for (const ElementFormat& format : {blocks8, blocks16}) {
    const CUarray array = new_array(64, 32, 0, 0, format);  // 16 x 8 blocks
    std::vector<uint8_t> bytes(65536);
    const auto result = [&](size_t x, size_t y, size_t width, size_t height) {
      CUDA_MEMCPY2D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = bytes.data();
      copy.srcPitch = 2048;
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = array;
      copy.dstXInBytes = x, copy.dstY = y, copy.WidthInBytes = width, copy.Height = height;
      return cuMemcpy2D(&copy);
    };
    const size_t block = format.bytes;
    EXPECT_EQ(result(0, 0, 16 * block, 8), CUDA_SUCCESS);
    EXPECT_EQ(result(15 * block, 7, block, 1), CUDA_SUCCESS);
    EXPECT_EQ(result(0, 0, 17 * block, 1), invalid);
    EXPECT_EQ(result(0, 0, block, 9), invalid);
    EXPECT_EQ(result(16 * block, 0, block, 1), invalid);
    EXPECT_EQ(result(0, 8, block, 1), invalid);
    EXPECT_EQ(result(0, 0, block / 2, 1), invalid) << "half a block";
    EXPECT_EQ(result(block / 2, 0, block, 1), invalid) << "half a block";
  }
}

TEST(cuMemcpy2D, BlocksGoToWhatIsAsLarge) {
  const Scene scene;
  struct Row {
    ElementFormat one, other;
    CUresult result;
  };
  const ElementFormat half4{CU_AD_FORMAT_HALF, 4, 8};
  for (const Row& row : {Row{blocks8, half4, CUDA_SUCCESS},
                         {blocks16, bytes16, CUDA_SUCCESS},
                         {blocks8, {CU_AD_FORMAT_BC4_SNORM, 1, 8, 4}, CUDA_SUCCESS},
                         {blocks8, blocks16, invalid},
                         {blocks8, bytes4, invalid},
                         {blocks16, half4, invalid},
                         {bytes4, bytes16, CUDA_SUCCESS}}) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = new_array(64, 64, 0, 0, row.one);
    copy.dstArray = new_array(64, 64, 0, 0, row.other);
    copy.WidthInBytes = 32;
    copy.Height = 4;
    EXPECT_EQ(cuMemcpy2D(&copy), row.result) << row.one.format << " to " << row.other.format;
    std::swap(copy.srcArray, copy.dstArray);
    EXPECT_EQ(cuMemcpy2DUnaligned(&copy), row.result)
        << row.other.format << " to " << row.one.format;
  }
}

TEST(cuMemcpy2D, OfAVolumeTheFirstSlice) {
  const Scene scene;
  const CUarray volume = new_array(16, 8, 4);
  const ByteExtents extents{64, 8, 4};
  auto expected = different_bytes(extents.size());
  write_all(volume, extents, expected);
  const auto bytes = different_bytes(512, 3);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = bytes.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = volume;
  copy.WidthInBytes = 64;
  copy.Height = 8;
  OK(cuMemcpy2DAsync(&copy, nullptr));
  EXPECT_EQ(read_all(volume, extents), patched(expected, 0, bytes));
  copy.Height = 9;
  EXPECT_EQ(cuMemcpy2DAsync(&copy, nullptr), invalid);
}

TEST(cuMemcpyHtoA, BytesOfTheFirstRow) {
  const Scene scene;
  const auto before = different_bytes(256);
  const CUarray line = new_line(before);
  const auto bytes = different_bytes(256, 2);
  OK(cuMemcpyHtoA(line, 3, bytes.data(), 5));
  EXPECT_EQ(contents(line), patched(before, 3, {bytes.begin(), bytes.begin() + 5}));
  EXPECT_EQ(cuMemcpyHtoA(line, 255, bytes.data(), 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoA(line, 255, bytes.data(), 2), invalid);
  EXPECT_EQ(cuMemcpyHtoA(line, 256, bytes.data(), 1), invalid);
  EXPECT_EQ(cuMemcpyHtoA(line, largest, bytes.data(), 2), invalid);
  EXPECT_EQ(cuMemcpyHtoA(line, 2, bytes.data(), largest), invalid);
  EXPECT_EQ(cuMemcpyHtoA(line, 0, nullptr, 4), invalid);
  EXPECT_EQ(cuMemcpyHtoA(line, 1000, bytes.data(), 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoA(nullptr, 0, bytes.data(), 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoA(nullptr, 0, bytes.data(), 1), invalid);
  // Measured, for an array with more dimensions: only the first row can be copied.
  const CUarray plane = new_array(64, 16);
  EXPECT_EQ(cuMemcpyHtoA(plane, 0, bytes.data(), 256), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoA(plane, 4, bytes.data(), 256), invalid);
  EXPECT_EQ(cuMemcpyHtoA(plane, 256, bytes.data(), 4), invalid);
}

TEST(cuMemcpyHtoA, TheOtherWaysWithRows) {
  const Scene scene;
  for (void* handle : foreign_handles(scene.context)) {
    const auto array = static_cast<CUarray>(handle);
    const CUresult expected = handle ? CUDA_ERROR_INVALID_HANDLE : invalid;
    char byte = 0;
    EXPECT_EQ(cuMemcpyHtoA(array, 0, &byte, 1), expected);
    EXPECT_EQ(cuMemcpyAtoH(&byte, array, 0, 1), expected);
    EXPECT_EQ(cuMemcpyHtoAAsync(array, 0, &byte, 1, nullptr), expected);
    EXPECT_EQ(cuMemcpyAtoHAsync(&byte, array, 0, 1, nullptr), expected);
    EXPECT_EQ(cuMemcpyDtoA(array, 0, 1, 1), expected);
    EXPECT_EQ(cuMemcpyAtoD(1, array, 0, 1), expected);
    EXPECT_EQ(cuMemcpyAtoA(array, 0, array, 0, 1), expected);
  }
}

TEST(cuMemcpyHtoAAsync, TakesPageableMemoryAtOnce) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUarray line = new_line(different_bytes(256));
  Gate gate(stream);
  const auto bytes = different_bytes(256, 2);
  auto own = bytes;
  OK(cuMemcpyHtoAAsync(line, 0, own.data(), 256, stream));
  std::fill(own.begin(), own.end(), 0);
  EXPECT_EQ(contents(line), different_bytes(256)) << "the stream is held up";
  gate.open();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(contents(line), bytes);
  EXPECT_EQ(cuMemcpyHtoAAsync(line, 255, own.data(), 2, stream), invalid);
  EXPECT_EQ(cuMemcpyHtoAAsync(line, 0, own.data(), 2, reinterpret_cast<CUstream>(line)),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuMemcpyAtoH, BytesOfTheFirstRow) {
  const Scene scene;
  const auto bytes = different_bytes(256);
  const CUarray line = new_line(bytes);
  std::vector<uint8_t> got(7);
  OK(cuMemcpyAtoH(got.data(), line, 3, 7));
  EXPECT_EQ(got, std::vector<uint8_t>(bytes.begin() + 3, bytes.begin() + 10));
  EXPECT_EQ(cuMemcpyAtoH(got.data(), line, 250, 7), invalid);
  EXPECT_EQ(cuMemcpyAtoH(nullptr, line, 0, 7), invalid);
}

TEST(cuMemcpyAtoHAsync, ReturnsBeforeTheWorkWithPinnedMemory) {
  const Scene scene;
  const CUstream stream = new_stream();
  const auto bytes = different_bytes(256);
  const CUarray line = new_line(bytes);
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, 256));
  memset(pinned, 0, 256);
  Gate gate(stream);
  OK(cuMemcpyAtoHAsync(pinned, line, 0, 256, stream));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(static_cast<uint8_t*>(pinned)[5], 0);
  gate.open();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(memcmp(pinned, bytes.data(), 256), 0);
  EXPECT_EQ(cuMemcpyAtoHAsync(pinned, line, 255, 2, stream), invalid);
}

TEST(cuMemcpyDtoA, BytesOfTheFirstRow) {
  const Scene scene;
  const auto before = different_bytes(256), bytes = different_bytes(256, 2);
  const CUarray line = new_line(before);
  const CUdeviceptr memory = new_memory(256);
  OK(cuMemcpyHtoD(memory, bytes.data(), 256));
  OK(cuMemcpyDtoA(line, 3, memory + 1, 5));
  EXPECT_EQ(contents(line), patched(before, 3, {bytes.begin() + 1, bytes.begin() + 6}));
  EXPECT_EQ(cuMemcpyDtoA(line, 252, memory, 5), invalid);
  EXPECT_EQ(cuMemcpyDtoA(line, 0, memory + 250, 7), invalid);
  EXPECT_EQ(cuMemcpyDtoA(line, 0, 0, 7), invalid);
  EXPECT_EQ(cuMemcpyDtoA(line, 0, reinterpret_cast<CUdeviceptr>(bytes.data()), 7), invalid);
}

TEST(cuMemcpyAtoD, WholeElementsAtAddressesOfSuch) {
  const Scene scene;
  const auto bytes = different_bytes(256);
  const CUarray line = new_line(bytes);
  const CUdeviceptr memory = new_memory(256);
  OK(cuMemcpyAtoD(memory, line, 3, 250));
  std::vector<uint8_t> got(250);
  OK(cuMemcpyDtoH(got.data(), memory, 250));
  EXPECT_EQ(got, std::vector<uint8_t>(bytes.begin() + 3, bytes.begin() + 253));
  EXPECT_EQ(cuMemcpyAtoD(memory, line, 255, 2), invalid);
  EXPECT_EQ(cuMemcpyAtoD(memory + 255, line, 0, 2), invalid);
  // "must be naturally aligned with the CUDA array elements", "must be evenly divisible".
  const CUarray wide = new_array(64);
  EXPECT_EQ(cuMemcpyAtoD(memory, wide, 4, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoD(memory, wide, 4, 6), invalid);
  EXPECT_EQ(cuMemcpyAtoD(memory + 2, wide, 4, 8), invalid);
}

TEST(cuMemcpyAtoA, ElementsOfTheSameSize) {
  const Scene scene;
  const auto before = different_bytes(256), bytes = different_bytes(256, 2);
  const CUarray to = new_line(before), from = new_line(bytes);
  OK(cuMemcpyAtoA(to, 3, from, 9, 5));
  EXPECT_EQ(contents(to), patched(before, 3, {bytes.begin() + 9, bytes.begin() + 14}));
  EXPECT_EQ(cuMemcpyAtoA(to, 253, from, 0, 5), invalid);
  EXPECT_EQ(cuMemcpyAtoA(to, 0, from, 253, 5), invalid);
  EXPECT_EQ(cuMemcpyAtoA(to, 0, nullptr, 0, 5), invalid);
  EXPECT_EQ(cuMemcpyAtoA(to, 0, nullptr, 0, 0), CUDA_SUCCESS);
  // "need not be the same format, but the elements must be the same size; and count must be evenly
  // divisible by that size."
  const CUarray four = new_array(64),
                one_float = new_array(64, 0, 0, 0, {CU_AD_FORMAT_FLOAT, 1, 4});
  EXPECT_EQ(cuMemcpyAtoA(four, 0, one_float, 4, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAtoA(four, 0, one_float, 4, 6), invalid);
  EXPECT_EQ(cuMemcpyAtoA(four, 0, from, 4, 8), invalid);
  // Both ends in the same array.
  const CUarray own = new_line(bytes);
  OK(cuMemcpyAtoA(own, 100, own, 0, 50));
  EXPECT_EQ(contents(own), patched(bytes, 100, {bytes.begin(), bytes.begin() + 50}));
}

// Copies of arrays are ordered by streams like any other work.
TEST(cuMemcpy2DAsync, RunsInItsStream) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUarray one = new_array(64, 64), other = new_array(64, 64);
  const ByteExtents extents{256, 64, 1};
  auto bytes = different_bytes(extents.size());
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, extents.size()));
  memcpy(pinned, bytes.data(), bytes.size());
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = pinned;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = one;
  in.WidthInBytes = 256, in.Height = 64;
  CUDA_MEMCPY2D across = in;
  across.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  across.srcArray = one, across.dstArray = other;
  CUDA_MEMCPY2D out = in;
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY, out.srcArray = other;
  out.dstMemoryType = CU_MEMORYTYPE_HOST, out.dstHost = pinned;
  for (int round = 0; round < 200; ++round) {
    OK(cuMemcpy2DAsync(&in, stream));
    OK(cuMemcpy2DAsync(&across, stream));
    OK(cuMemcpy2DAsync(&out, stream));
  }
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(memcmp(pinned, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(read_all(other, extents), bytes);
}

// A graph refers to the array, not to its address: once the array is gone, it cannot be launched.
TEST(cuMemcpy2DAsync, IsCapturedWithItsArrays) {
  const Scene scene;
  const CUstream stream = new_stream();
  const CUarray one = new_array(64, 64), other = new_array(64, 64);
  const ByteExtents extents{256, 64, 1};
  void* pinned = nullptr;
  OK(cuMemAllocHost(&pinned, extents.size()));
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = pinned;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = one;
  in.WidthInBytes = 256, in.Height = 64;
  CUDA_MEMCPY2D across = in;
  across.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  across.srcArray = one, across.dstArray = other;
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  OK(cuMemcpy2DAsync(&in, stream));
  OK(cuMemcpy2DAsync(&across, stream));
  CUgraph graph = nullptr;
  OK(cuStreamEndCapture(stream, &graph));
  CUgraphExec runs = nullptr;
  OK(cuGraphInstantiate(&runs, graph, 0));
  for (unsigned seed : {1u, 2u}) {
    const auto bytes = different_bytes(extents.size(), seed);
    memcpy(pinned, bytes.data(), bytes.size());
    OK(cuGraphLaunch(runs, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_all(other, extents), bytes);
  }
  OK(cuArrayDestroy(one));
  EXPECT_EQ(cuGraphLaunch(runs, stream), CUDA_ERROR_INVALID_HANDLE);
  OK(cuGraphExecDestroy(runs));
  OK(cuGraphDestroy(graph));
}

}  // namespace
