// SPDX-License-Identifier: Apache-2.0
// WrittenMemory: which bytes of device memory have been written since it was given out, as far as
// all that has run says.
//
// Tracks memory that only commands and kernels of this process write: memory of cuMemAlloc and
// cuMemAllocAsync, and mappings of memory that cannot be exported. Two mappings of it are the same
// bytes. All other memory counts as written.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sim/base/mutex.hpp"
#include "sim/check/kernel/written_bytes.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/identity.hpp"

namespace cuvette::watch {

// The bytes of one memory, with their own lock.
struct SharedBytes {
  Mutex mutex;
  WrittenBytes bytes GUARDED_BY(mutex);
  // The last range written by a kernel in which every thread wrote the same number of adjacent
  // bytes exactly once.
  uint64_t covered_begin GUARDED_BY(mutex) = 0, covered_end GUARDED_BY(mutex) = 0;
};

class WrittenMemory {
 public:
  explicit WrittenMemory(const memory::AddressSpace& space) : space_(space) {}

  // The process's, from start() on; null if it is not needed.
  static WrittenMemory* get() { return instance_.load(std::memory_order_acquire); }
  // Call it once, before anything runs.
  static void start(const memory::AddressSpace& space);

  // The rest of an allocation, and where it lies in its bytes.
  struct Range {
    uint64_t begin = 0, end = 0;
    std::shared_ptr<SharedBytes> bytes;  // null: all of it counts as written
    uint64_t offset = 0;                 // of `begin`
    bool contains(uint64_t address) const { return address >= begin && address < end; }
    uint64_t place(uint64_t address) const { return address - begin + offset; }
  };
  // Returns the allocation's, or one byte that counts as written where there is none.
  Range find(uint64_t address) EXCLUDES(mutex_);

  // Commands have done this.
  void set(const memory::Region& region, bool written) EXCLUDES(mutex_);
  void copy(const memory::Region& to, const memory::Region& from) EXCLUDES(mutex_);
  // Returns how many bytes at the end of the range are unwritten, if the threads of a kernel have
  // covered all others; else 0. Data-dependent writes hardly ever look like that.
  uint64_t left_over(uint64_t address, uint64_t size) EXCLUDES(mutex_);

 private:
  struct Memory {
    Ref<const memory::Allocation> allocation;  // shows when it ends; none for mappings
    std::shared_ptr<SharedBytes> bytes;
  };
  void set(uint64_t address, uint64_t size, bool written);
  void copy(uint64_t to, uint64_t from, uint64_t size);

  static std::atomic<WrittenMemory*> instance_;

  const memory::AddressSpace& space_;
  Mutex mutex_;
  memory::MemoryMap<Memory> memories_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::watch
