// SPDX-License-Identifier: Apache-2.0
// Input: decisions, taken from the bytes of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }
  uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  unsigned below(unsigned limit) { return byte() % limit; }
  // Like below(), for limits that exceed a byte.
  size_t place(size_t limit) {
    const size_t high = byte();
    return (high << 8 | byte()) % limit;
  }
  bool flip() { return byte() & 1; }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned i = byte() % 9; i > 0; --i) value = value << 8 | byte();
    return value;
  }
  // A size that mostly makes sense, but not always.
  uint64_t size() {
    switch (byte() % 8) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return 4096;
      case 3:
        return 65536;
      case 4:
        return ~uint64_t{0};
      case 5:
        return ~uint64_t{0} - byte();
      case 6:
        return uint64_t{byte()} << 40;
      default:
        return byte() * 64u;
    }
  }

 private:
  const uint8_t* data_;
  size_t size_;
};
