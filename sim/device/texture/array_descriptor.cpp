// SPDX-License-Identifier: Apache-2.0
#include "sim/device/texture/array_descriptor.hpp"

#include <algorithm>
#include <bit>

namespace cuvette::device {
namespace {

// Rows begin at multiples of a cache line, and of the largest vector register.
constexpr size_t row_alignment = 64;

size_t halved(size_t extent, unsigned times) {
  if (extent == 0) return 0;
  return times < 64 ? std::max<size_t>(extent >> times, 1) : 1;
}

// Counts `extent` in blocks of `block`; an extent of 0 is one row or slice.
size_t in_blocks(size_t extent, size_t block) {
  return extent == 0 ? 1 : extent / block + (extent % block != 0);
}

}  // namespace

ArrayDescriptor ArrayDescriptor::level(unsigned level) const {
  ArrayDescriptor one = *this;
  one.width = halved(width, level);
  one.height = halved(height, level);
  if (!layered()) one.depth = halved(depth, level);
  return one;
}

ArrayDescriptor ArrayDescriptor::layer() const {
  ArrayDescriptor one = *this;
  one.depth = 0;
  one.flags &= ~(array_flag::layered | array_flag::cubemap);
  return one;
}

unsigned ArrayDescriptor::most_levels() const {
  const size_t longest = std::max({width, height, layered() ? 0 : depth, size_t{1}});
  return static_cast<unsigned>(std::bit_width(longest));
}

std::optional<ArrayLayout> layout_of(const ArrayDescriptor& descriptor, size_t offset) {
  const FormatFacts& format = *facts(descriptor.format);
  ArrayLayout layout;
  layout.offset = offset;
  layout.element = format.element_bytes(descriptor.channels);
  layout.block = format.block;
  layout.width = in_blocks(descriptor.width, format.block);
  layout.height = in_blocks(descriptor.height, format.block);
  layout.depth = std::max<size_t>(descriptor.depth, 1);
  size_t row, end;
  if (__builtin_mul_overflow(layout.width, layout.element, &row) ||
      __builtin_add_overflow(row, row_alignment - 1, &layout.pitch))
    return std::nullopt;
  layout.pitch -= layout.pitch % row_alignment;
  if (__builtin_mul_overflow(layout.pitch, layout.height, &layout.slice) ||
      __builtin_mul_overflow(layout.slice, layout.depth, &end) ||
      __builtin_add_overflow(end, offset, &end))
    return std::nullopt;
  return layout;
}

}  // namespace cuvette::device
