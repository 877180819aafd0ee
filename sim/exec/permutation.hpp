// SPDX-License-Identifier: Apache-2.0
// Permutation: the order that a schedule gives to the blocks of a grid, or to the warps of a block.
//
// The blocks of a grid may begin in any order, but kernels rely on more than that: where blocks
// wait for those before them, a GPU must have room for all that wait. So blocks change places only
// within a window, as many as are resident at once, and a block that waits holds no place that the
// other needs.
//
// Threads: immutable.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/exec/schedule.hpp"

namespace cuvette::exec {

class Permutation {
 public:
  // Of `count` items, `window` of which are there at once.
  Permutation(KernelOrder order, uint64_t count, uint64_t window)
      : order_(order), count_(count), window_(std::max<uint64_t>(window, 1)) {}

  // Returns which item has this place: a permutation of 0 to count - 1.
  uint64_t at(uint64_t place) const {
    if (order_ == 0) return place;
    const uint64_t first = place / window_ * window_;
    const uint64_t size = std::min(window_, count_ - first);
    const uint64_t last = first + size - 1;
    if (order_ == 1) return last - (place - first);
    return first + shuffled(place - first, size);
  }

 private:
  // A permutation of 0 to size - 1: rounds of a mixture that is reversible in the next power of
  // two, until the number is small enough.
  uint64_t shuffled(uint64_t number, uint64_t size) const {
    uint64_t mask = 1;
    while (mask < size) mask *= 2;
    --mask;
    const unsigned half = static_cast<unsigned>(__builtin_popcountll(mask)) / 2 + 1;
    const uint64_t key = order_ * 0x9e3779b97f4a7c15u;
    do {
      number = (number * ((key >> 20) | 1) + (key >> 40)) & mask;
      number ^= number >> half;
      number = (number * 0x2545f4914f6cdd1du + (key >> 8)) & mask;
    } while (number >= size);
    return number;
  }

  KernelOrder order_;
  uint64_t count_, window_;
};

}  // namespace cuvette::exec
