// SPDX-License-Identifier: Apache-2.0
// Addresses on a line (line_of() in abi.hpp): cases that compiled code leaves to helpers.
#pragma once

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::ptx {

// Helpers::check for the addresses of a line; `line` holds the access.
uint32_t check_line(BlockContext* block, uint64_t base, uint64_t step, uint64_t line, uint32_t mask,
                    uint32_t warp, uint64_t location);

// From the first address of the lanes of `mask` on a line to the end of the last one's access.
// Nothing (no bytes): no such lane exists, or a step lies among them.
struct LineSpan {
  uint64_t begin = 0, bytes = 0;
  uint32_t access = 0;      // as for check()
  bool is_aligned = false;  // each lane's address, by the size of its access
};
LineSpan span_of_line(uint64_t base, uint64_t step, uint64_t line, uint32_t mask);

// Copies `bytes` for each lane of `mask` from its address to its place in `buffer`, the other way
// round if bit 31 of `bytes` is set.
void move_line(uint64_t base, uint64_t step, uint64_t line, uint32_t mask, uint32_t bytes,
               void* buffer);

constexpr uint32_t line_is_stored = 1u << 31;

}  // namespace cuvette::ptx
