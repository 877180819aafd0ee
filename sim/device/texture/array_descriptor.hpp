// SPDX-License-Identifier: Apache-2.0
// ArrayDescriptor: the shape of an array, its element and its flags; ArrayLayout: where its
// elements lie in memory.
//
// A height of 0 means one dimension, a depth of 0 at most two; the depth of a layered array or a
// cube map counts its layers or faces.
//
// Threads: any; plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/device/texture/array_format.hpp"
#include "sim/memory/address.hpp"

namespace cuvette::device {

// CUDA_ARRAY3D_*.
namespace array_flag {
inline constexpr unsigned layered = 0x01, surface_ldst = 0x02, cubemap = 0x04,
                          texture_gather = 0x08, depth_texture = 0x10, color_attachment = 0x20,
                          sparse = 0x40, deferred_mapping = 0x80, video_encode_decode = 0x100;
}

struct ArrayDescriptor {
  size_t width = 0, height = 0, depth = 0;  // in elements
  ArrayFormat format = ArrayFormat::UNSIGNED_INT8;
  unsigned channels = 1;
  unsigned flags = 0;

  bool has(unsigned flag) const { return (flags & flag) != 0; }
  bool layered() const { return has(array_flag::layered | array_flag::cubemap); }
  // Returns the dimensions of one layer: 1, 2 or 3.
  unsigned dimensions() const { return height == 0 ? 1 : layered() || depth == 0 ? 2 : 3; }
  size_t layers() const { return layered() ? depth : 1; }

  // Returns the shape of one mip level: each extent is half of the previous level's, rounded down,
  // at least 1; every level has as many layers.
  ArrayDescriptor level(unsigned level) const;
  // Returns the shape of one layer or face: an array of one or two dimensions.
  ArrayDescriptor layer() const;
  // Returns the most levels that there can be: 1 + floor(log2(the largest extent)).
  unsigned most_levels() const;

  bool operator==(const ArrayDescriptor&) const = default;
};

// Rows of elements, `pitch` bytes apart, in slices (or layers), `slice` bytes apart. In a
// block-compressed array the element is a block of 4 x 4.
struct ArrayLayout {
  size_t offset = 0;   // of the first element, in bytes from the storage's beginning
  size_t element = 1;  // bytes
  size_t block = 1;    // elements along the edge of a block
  size_t width = 1, height = 1, depth = 1;  // elements (blocks) of a row, rows, slices
  size_t pitch = 0;
  size_t slice = 0;

  size_t row_bytes() const { return width * element; }
  // Returns the distance from the beginning of the first element to the end of the last one, in
  // bytes.
  size_t extent() const { return (depth - 1) * slice + (height - 1) * pitch + row_bytes(); }
};

// Returns the usual layout of an array that begins at `offset`; none if it is larger than any
// memory. The format must exist.
std::optional<ArrayLayout> layout_of(const ArrayDescriptor& descriptor, size_t offset);

}  // namespace cuvette::device
