// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/lines.hpp"

#include <cstring>

namespace cuvette::ptx {
namespace {

// The lanes of `line`, each with its address.
template <typename F>
void each_lane(uint64_t base, uint64_t step, uint64_t line, uint32_t mask, const F& f) {
  const auto stride = static_cast<int64_t>(static_cast<int32_t>(line));
  const auto step_lane = static_cast<uint32_t>(line >> 32) & 63;
  const auto half = static_cast<uint32_t>(line >> 40) & 3;
  const uint32_t first = half == 2 ? 16 : 0, end = half == 1 ? 16 : 32;
  for (uint32_t lane = first; lane < end; ++lane)
    if (mask >> lane & 1)
      f(lane, base + static_cast<uint64_t>(stride * (lane - first)) -
                  (lane - first >= step_lane ? step : 0));
}

// Moves an element in a single instruction: other threads may read it meanwhile, and a copy of
// unknown length could write it twice.
void copy(void* to, const void* from, size_t size) {
  switch (size) {
    case 1:
      std::memcpy(to, from, 1);
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, size);
  }
}

}  // namespace

uint32_t check_line(BlockContext* block, uint64_t base, uint64_t step, uint64_t line, uint32_t mask,
                    uint32_t warp, uint64_t location) {
  const auto access = static_cast<uint32_t>(line >> 48);
  const bool by_offset = access & (access_shared | access_local);
  uint64_t addresses[warp_size] = {};
  uint32_t lanes = 0;
  each_lane(base, step, line, mask, [&](uint32_t lane, uint64_t address) {
    addresses[lane] = by_offset ? static_cast<uint32_t>(address) : address;
    lanes |= 1u << lane;
  });
  return lanes ? block->helpers->check(block, addresses, lanes, access, warp, location) : 0;
}

void move_line(uint64_t base, uint64_t step, uint64_t line, uint32_t mask, uint32_t bytes,
               void* buffer) {
  const size_t size = bytes & ~line_is_stored;
  each_lane(base, step, line, mask, [&](uint32_t lane, uint64_t address) {
    auto* const here = reinterpret_cast<void*>(address);
    auto* const there = static_cast<uint8_t*>(buffer) + lane * size;
    if (bytes & line_is_stored)
      copy(here, there, size);
    else
      copy(there, here, size);
  });
}

}  // namespace cuvette::ptx
