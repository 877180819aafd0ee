// SPDX-License-Identifier: Apache-2.0
// Expands addresses on a line: rare cases that compiled code leaves to helpers.
#pragma once

#include "sim/ptx/abi.hpp"

namespace cuvette::ptx {

// Helpers::check for the addresses of a line, whose access `line` holds.
uint32_t check_line(BlockContext* block, uint64_t base, uint64_t step, uint64_t line, uint32_t mask,
                    uint32_t warp, uint64_t location);

// Copies `bytes` for each lane of `mask` from its address to its place in `buffer`, the other way
// round if bit 31 of `bytes` is set.
void move_line(uint64_t base, uint64_t step, uint64_t line, uint32_t mask, uint32_t bytes,
               void* buffer);

constexpr uint32_t line_is_stored = 1u << 31;

}  // namespace cuvette::ptx
