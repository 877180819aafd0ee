// SPDX-License-Identifier: Apache-2.0
// Mark: who accessed some bytes, when, and how.
//
// Time is counted in each block by itself: it advances whenever something orders accesses, so that
// a thread that comes after another knows the other's accesses up to a time.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::watch {

// Calls `visit` with each lane that the mask names.
template <typename Visit>
void each_lane(uint32_t mask, const Visit& visit) {
  for (uint32_t left = mask; left != 0; left &= left - 1)
    visit(static_cast<uint32_t>(std::countr_zero(left)));
}

// The lanes that a warp of a block of `threads` has.
constexpr uint32_t lanes_of(uint32_t warp, uint32_t threads) {
  const uint32_t left = threads - warp * ptx::warp_size;
  return left >= ptx::warp_size ? UINT32_MAX : (uint32_t{1} << left) - 1;
}

struct Mark {
  // Of `how`, beside the thread's number in its block.
  static constexpr uint16_t thread_bits = 0x3ff, strong = 0x400, wide = 0x800, is_volatile = 0x1000,
                            converged = 0x2000, async = 0x4000, atomic = 0x8000;

  uint32_t block = 0;
  uint32_t time = 0;   // 0: none
  uint16_t how = 0;    // the thread, and what the access is; `wide`: its scope is not the block
  uint16_t place = 0;  // which instruction: one of PlaceNumbers

  explicit operator bool() const { return time != 0; }
  uint32_t thread() const { return how & thread_bits; }
  uint32_t warp() const { return thread() / ptx::warp_size; }
  bool is(uint16_t what) const { return how & what; }
  Mark by_thread(uint32_t number) const {
    Mark result = *this;
    result.how = static_cast<uint16_t>((how & ~thread_bits) | number);
    return result;
  }
  bool same_thread(const Mark& other) const {
    return block == other.block && thread() == other.thread();
  }
};

// An instruction that accesses memory.
struct Place {
  uint64_t location = 0;  // made by location_of()
  uint32_t access = 0;    // as watch() is told

  bool writes() const { return access & ptx::access_write; }
  bool operator==(const Place&) const = default;
};

}  // namespace cuvette::watch
