// SPDX-License-Identifier: Apache-2.0
// Arrays for tests: every format with its size, shapes, and copies of whole arrays.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/api/driver/gate.hpp"

struct ElementFormat {
  CUarray_format format;
  unsigned channels;
  size_t bytes;      // per element, or per block
  size_t block = 1;  // elements along a block's edge
};

// The formats that an array can have without special flags.
inline std::vector<ElementFormat> element_formats() {
  std::vector<ElementFormat> all;
  const auto plain = [&](CUarray_format format, size_t bytes) {
    for (unsigned channels : {1u, 2u, 4u}) all.push_back({format, channels, bytes * channels});
  };
  plain(CU_AD_FORMAT_UNSIGNED_INT8, 1);
  plain(CU_AD_FORMAT_UNSIGNED_INT16, 2);
  plain(CU_AD_FORMAT_UNSIGNED_INT32, 4);
  plain(CU_AD_FORMAT_SIGNED_INT8, 1);
  plain(CU_AD_FORMAT_SIGNED_INT16, 2);
  plain(CU_AD_FORMAT_SIGNED_INT32, 4);
  plain(CU_AD_FORMAT_HALF, 2);
  plain(CU_AD_FORMAT_FLOAT, 4);
  all.insert(all.end(),
             {{CU_AD_FORMAT_UNORM_INT8X1, 1, 1},       {CU_AD_FORMAT_UNORM_INT8X2, 2, 2},
              {CU_AD_FORMAT_UNORM_INT8X4, 4, 4},       {CU_AD_FORMAT_UNORM_INT16X1, 1, 2},
              {CU_AD_FORMAT_UNORM_INT16X2, 2, 4},      {CU_AD_FORMAT_UNORM_INT16X4, 4, 8},
              {CU_AD_FORMAT_SNORM_INT8X1, 1, 1},       {CU_AD_FORMAT_SNORM_INT8X2, 2, 2},
              {CU_AD_FORMAT_SNORM_INT8X4, 4, 4},       {CU_AD_FORMAT_SNORM_INT16X1, 1, 2},
              {CU_AD_FORMAT_SNORM_INT16X2, 2, 4},      {CU_AD_FORMAT_SNORM_INT16X4, 4, 8},
              {CU_AD_FORMAT_UNORM_INT_101010_2, 4, 4}, {CU_AD_FORMAT_BC1_UNORM, 4, 8, 4},
              {CU_AD_FORMAT_BC1_UNORM_SRGB, 4, 8, 4},  {CU_AD_FORMAT_BC2_UNORM, 4, 16, 4},
              {CU_AD_FORMAT_BC2_UNORM_SRGB, 4, 16, 4}, {CU_AD_FORMAT_BC3_UNORM, 4, 16, 4},
              {CU_AD_FORMAT_BC3_UNORM_SRGB, 4, 16, 4}, {CU_AD_FORMAT_BC4_UNORM, 1, 8, 4},
              {CU_AD_FORMAT_BC4_SNORM, 1, 8, 4},       {CU_AD_FORMAT_BC5_UNORM, 2, 16, 4},
              {CU_AD_FORMAT_BC5_SNORM, 2, 16, 4},      {CU_AD_FORMAT_BC6H_UF16, 3, 16, 4},
              {CU_AD_FORMAT_BC6H_SF16, 3, 16, 4},      {CU_AD_FORMAT_BC7_UNORM, 4, 16, 4},
              {CU_AD_FORMAT_BC7_UNORM_SRGB, 4, 16, 4}});
  return all;
}

// The bytes of an array, or of one level of it, as copies count them.
struct ByteExtents {
  size_t row = 0, rows = 0, slices = 0;

  size_t size() const { return row * rows * slices; }
  static ByteExtents of(const CUDA_ARRAY3D_DESCRIPTOR& shape, const ElementFormat& format) {
    const auto blocks = [&](size_t extent) { return (extent + format.block - 1) / format.block; };
    return {blocks(shape.Width) * format.bytes, shape.Height ? blocks(shape.Height) : 1,
            shape.Depth ? shape.Depth : 1};
  }
};

inline CUDA_ARRAY3D_DESCRIPTOR shape_of(size_t width, size_t height, size_t depth, unsigned flags,
                                        const ElementFormat& format) {
  return {width, height, depth, format.format, format.channels, flags};
}

inline CUarray new_array(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  CUarray array = nullptr;
  EXPECT_EQ(cuArray3DCreate(&array, &shape), CUDA_SUCCESS);
  return array;
}
inline CUarray new_array(size_t width, size_t height = 0, size_t depth = 0, unsigned flags = 0,
                         const ElementFormat& format = {CU_AD_FORMAT_UNSIGNED_INT8, 4, 4}) {
  return new_array(shape_of(width, height, depth, flags, format));
}
inline CUmipmappedArray new_levels(const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels) {
  CUmipmappedArray array = nullptr;
  EXPECT_EQ(cuMipmappedArrayCreate(&array, &shape, levels), CUDA_SUCCESS);
  return array;
}

inline CUDA_ARRAY3D_DESCRIPTOR descriptor_of(CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  EXPECT_EQ(cuArray3DGetDescriptor(&shape, array), CUDA_SUCCESS);
  return shape;
}
inline bool operator==(const CUDA_ARRAY3D_DESCRIPTOR& a, const CUDA_ARRAY3D_DESCRIPTOR& b) {
  return a.Width == b.Width && a.Height == b.Height && a.Depth == b.Depth && a.Format == b.Format &&
         a.NumChannels == b.NumChannels && a.Flags == b.Flags;
}

// A copy of the whole array to, or from, tightly packed bytes.
inline CUDA_MEMCPY3D whole_copy(CUarray array, const ByteExtents& extents, bool to_array,
                                void* bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
  copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
  copy.srcHost = copy.dstHost = bytes;
  copy.srcArray = copy.dstArray = array;
  if (to_array)
    copy.srcPitch = extents.row, copy.srcHeight = extents.rows;
  else
    copy.dstPitch = extents.row, copy.dstHeight = extents.rows;
  copy.WidthInBytes = extents.row;
  copy.Height = extents.rows;
  copy.Depth = extents.slices;
  return copy;
}
inline void write_all(CUarray array, const ByteExtents& extents, std::vector<uint8_t> bytes) {
  const CUDA_MEMCPY3D copy = whole_copy(array, extents, true, bytes.data());
  EXPECT_EQ(cuMemcpy3D(&copy), CUDA_SUCCESS);
}
inline std::vector<uint8_t> read_all(CUarray array, const ByteExtents& extents) {
  std::vector<uint8_t> bytes(extents.size(), 0xee);
  const CUDA_MEMCPY3D copy = whole_copy(array, extents, false, bytes.data());
  EXPECT_EQ(cuMemcpy3D(&copy), CUDA_SUCCESS);
  return bytes;
}

// Pseudorandom bytes: neighbours in any direction are likely to differ.
inline std::vector<uint8_t> different_bytes(size_t size, unsigned seed = 1) {
  std::vector<uint8_t> bytes(size);
  uint32_t state = seed * 2654435761u + 1;
  for (uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

// Handles that belong to no array: null, plain numbers, and handles of other types.
inline std::vector<void*> foreign_handles(CUcontext context) {
  const auto number = [](uintptr_t value) { return reinterpret_cast<void*>(value); };
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemAlloc(&memory, 64), CUDA_SUCCESS);
  return {
      nullptr, number(1),    number(0x80), number(0x12340080),   number(~0ull),      number(memory),
      context, new_stream(), new_event(),  number(0x7fffffff80), number(0x400000090)};
}
