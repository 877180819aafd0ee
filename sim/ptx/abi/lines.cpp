// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/abi/lines.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace cuvette::ptx {
namespace {

// The result of line_of().
struct Line {
  explicit Line(uint64_t line)
      : stride(static_cast<int32_t>(line)),
        step_lane(static_cast<uint32_t>(line >> 32) & 63),
        access(static_cast<uint32_t>(line >> 48)) {
    const auto half = static_cast<uint32_t>(line >> 40) & 3;
    if (half == 1) end = warp_size / 2;
    if (half == 2) first = warp_size / 2;
  }
  bool by_offset() const { return access & (access_shared | access_local); }

  const int64_t stride;
  const uint32_t step_lane, access;
  uint32_t first = 0, end = warp_size;  // lanes
};

// The lanes of `mask`, each with its address.
template <typename F>
void each_lane(uint64_t base, uint64_t step, const Line& line, uint32_t mask, const F& f) {
  for (uint32_t lane = line.first; lane < line.end; ++lane) {
    const uint32_t number = lane - line.first;
    if (mask >> lane & 1)
      f(lane,
        base + static_cast<uint64_t>(line.stride * number) - (number >= line.step_lane ? step : 0));
  }
}

// Moves an element in a single instruction: other threads may read it at the same time, and a copy
// of unknown length could write it twice.
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
  const Line on(line);
  uint64_t addresses[warp_size] = {};
  uint32_t lanes = 0;
  each_lane(base, step, on, mask, [&](uint32_t lane, uint64_t address) {
    addresses[lane] = on.by_offset() ? static_cast<uint32_t>(address) : address;
    lanes |= 1u << lane;
  });
  return lanes ? block->helpers->check(block, addresses, lanes, on.access, warp, location) : 0;
}

LineSpan span_of_line(uint64_t base, uint64_t step, uint64_t line, uint32_t mask) {
  const Line on(line);
  const uint32_t lanes =
      mask & static_cast<uint32_t>((uint64_t{1} << on.end) - (uint64_t{1} << on.first));
  if (lanes == 0) return {};
  const auto least = static_cast<uint32_t>(std::countr_zero(lanes)) - on.first;
  const auto most = warp_size - 1 - static_cast<uint32_t>(std::countl_zero(lanes)) - on.first;
  if (step != 0 && most >= on.step_lane) return {};
  const auto length = static_cast<uint64_t>(std::abs(on.stride)) * (most - least);
  const uint32_t lowest = on.stride < 0 ? most : least;
  const uint64_t begin = base + static_cast<uint64_t>(on.stride * lowest);
  const uint32_t bytes = access_bytes(on.access);
  const uint64_t odd = (base | static_cast<uint64_t>(on.stride)) & (std::bit_ceil(bytes) - 1);
  return {on.by_offset() ? static_cast<uint32_t>(begin) : begin, length + bytes, on.access,
          odd == 0};
}

void move_line(uint64_t base, uint64_t step, uint64_t line, uint32_t mask, uint32_t bytes,
               void* buffer) {
  const size_t size = bytes & ~line_is_stored;
  each_lane(base, step, Line(line), mask, [&](uint32_t lane, uint64_t address) {
    auto* const here = reinterpret_cast<void*>(address);
    auto* const there = static_cast<uint8_t*>(buffer) + lane * size;
    if (bytes & line_is_stored)
      copy(here, there, size);
    else
      copy(there, here, size);
  });
}

}  // namespace cuvette::ptx
