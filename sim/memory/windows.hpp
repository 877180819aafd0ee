// SPDX-License-Identifier: Apache-2.0
// Windows: addresses for mappings of external memory, allocated in rising order and reused as late
// as possible, so that a stale pointer finds nothing instead of another object's memory.
//
// Threads: one at a time. Invariants: free ranges do not overlap or touch; begins and sizes are
// multiples of the granularity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "sim/base/range_map.hpp"

namespace cuvette::memory {

class Windows {
 public:
  static constexpr size_t granularity = 64 << 10;

  Windows(uint64_t begin, size_t size);

  // Takes `size` bytes at a multiple of the granularity: the next free ones after those given out
  // last. The granule after them stays empty.
  std::optional<uint64_t> take(size_t size);
  void give(uint64_t at, size_t size);

 private:
  RangeMap<std::monostate> free_;
  uint64_t next_;
};

}  // namespace cuvette::memory
