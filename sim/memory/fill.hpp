// SPDX-License-Identifier: Apache-2.0
// The content of device memory before the program has written it: patterns that are easy to notice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/base/choices.hpp"

namespace cuvette::memory {

using cuvette::Fill;

// How many bytes are filled at the beginning of a range and at its end.
struct FilledParts {
  size_t head = 0, tail = 0;
};
constexpr FilledParts filled_parts(Fill fill, size_t size) {
  constexpr size_t whole = 64 << 10, edge = 4 << 10;
  if (fill == Fill::none) return {};
  if (fill == Fill::all || size <= whole) return {size, 0};
  return {edge, edge};
}

// The patterns of fresh and freed device memory: 32-bit words that are NaN as float and, two of
// them, as double.
inline constexpr uint32_t fresh_pattern = 0x7FFDF00D;
inline constexpr uint32_t freed_pattern = 0x7FFDDEAD;

}  // namespace cuvette::memory
