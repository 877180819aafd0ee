// SPDX-License-Identifier: Apache-2.0
// DeviceRights: what each device may do with a mapping, in one word that can be atomic.
#pragma once

#include <cstdint>

namespace cuvette::memory {

// CUmemAccess_flags' numbers.
enum class Access : uint8_t { none = 0, read = 1, read_write = 3 };

inline bool allows(Access right, bool write) {
  return write ? right == Access::read_write : right != Access::none;
}

class DeviceRights {
 public:
  static constexpr unsigned most_devices = 32;

  Access of(unsigned device) const {
    return static_cast<Access>(word_ >> (bits * device) & all_bits);
  }
  void set(unsigned device, Access right) {
    word_ &= ~(all_bits << (bits * device));
    word_ |= uint64_t{static_cast<uint8_t>(right)} << (bits * device);
  }
  // Returns what at least one device may do.
  Access strongest() const {
    constexpr uint64_t reading = 0x5555555555555555, writing = reading << 1;
    return word_ & writing ? Access::read_write : word_ != 0 ? Access::read : Access::none;
  }
  // Whether `later` lacks a right of this.
  bool loses_in(DeviceRights later) const { return (word_ & ~later.word_) != 0; }

 private:
  static constexpr unsigned bits = 2;
  static constexpr uint64_t all_bits = 3;
  uint64_t word_ = 0;
};

}  // namespace cuvette::memory
