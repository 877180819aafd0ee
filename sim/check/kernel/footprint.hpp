// SPDX-License-Identifier: Apache-2.0
// Footprint: which bytes of global memory a launch has touched, and how.
//
// Threads: after the launch any, one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/check/kernel/accessor.hpp"

namespace cuvette::watch {

// Bytes that the launch has touched in one way, and one accessor that did so. A launch that does
// `p[i] += 1`, or an atomic addition, both reads and writes them.
struct Touched {
  uint64_t begin = 0, end = 0;
  bool reads = false, writes = false;
  bool atomic = false;  // by strong accesses alone, with a scope beyond the block
  Accessor by;

  // Whether both are done by one instruction, in one way.
  bool is_like(const Touched& other) const {
    return by.place.location == other.by.place.location && writes == other.writes &&
           atomic == other.atomic;
  }
};

class Footprint {
 public:
  // In the order of addresses; no two have a byte in common.
  virtual const std::vector<Touched>& touched() const = 0;
  // The thread that touched the byte, if it is known; the writer, if it was written.
  virtual Accessor toucher(uint64_t address) const = 0;

 protected:
  ~Footprint() = default;
};

}  // namespace cuvette::watch
