// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's driver keeps of memory, so that the next allocation is cheap: blocks of 2 MiB that
// small allocations are cut from, and what a pool has reserved.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>

namespace cuvette::tools {

// Allocations of up to 1 MiB, of the device or of pinned memory.
class SmallBlocks {
 public:
  // Returns whether a block had room.
  bool allocate(uint64_t bytes);
  // Returns whether the block keeps other allocations.
  bool free(uint64_t bytes);

 private:
  uint64_t blocks_ = 0, used_ = 0;
};

// The pool of a device: what is free in it goes back when the host waits, unless the program has
// set its threshold.
class Pool {
 public:
  // Returns whether it had room.
  bool allocate(uint64_t bytes);
  void free(uint64_t bytes);
  void keep() { keeps_ = true; }
  // The host waits. Returns how many bytes go back.
  uint64_t wait();

 private:
  bool keeps_ = false, was_freed_ = false;
  uint64_t reserved_ = 0, used_ = 0;
};

}  // namespace cuvette::tools
