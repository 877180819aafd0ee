// SPDX-License-Identifier: Apache-2.0
// ValueOperation: a word in memory that a stream waits for or writes.
#pragma once

#include <cstdint>

#include "sim/memory/address.hpp"

namespace cuvette::device {

// The condition that ends a wait; CUstreamWaitValue_flags' numbers.
enum class Comparison : uint8_t {
  cyclic_geq = 0,  // the difference, as a signed number, is not negative
  equal = 1,
  any_bit = 2,    // memory & value
  any_clear = 3,  // ~(memory | value)
};
// Whether a word in memory meets the condition; words have `bytes` bytes, 4 or 8.
inline bool holds(Comparison comparison, uint64_t memory, uint64_t value, unsigned bytes) {
  const unsigned shift = 64 - 8 * bytes;  // moves the word's sign to bit 63
  switch (comparison) {
    case Comparison::cyclic_geq:
      return static_cast<int64_t>((memory - value) << shift) >= 0;
    case Comparison::equal:
      return (memory - value) << shift == 0;
    case Comparison::any_bit:
      return (memory & value) << shift != 0;
    case Comparison::any_clear:
      return ~(memory | value) << shift != 0;
  }
  return false;
}

struct ValueOperation {
  enum class Kind : uint8_t { wait, write, barrier };
  Kind kind = Kind::barrier;
  uint8_t bytes = 4;  // of the word, 4 or 8
  Comparison comparison = Comparison::cyclic_geq;
  bool ordered = true;  // a reader that sees the write also sees everything written
                        // before it
  memory::DevicePtr address = 0;
  uint64_t value = 0;
};

}  // namespace cuvette::device
