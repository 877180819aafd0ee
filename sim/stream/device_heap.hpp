// SPDX-License-Identifier: Apache-2.0
// DeviceHeap: the memory that kernels of a context allocate and free themselves.
//
// It is made at the first allocation, as large as CU_LIMIT_MALLOC_HEAP_SIZE says then, and ends
// with the context. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "sim/memory/address_space.hpp"
#include "sim/memory/heap.hpp"
#include "sim/mutex.hpp"

namespace cuvette::device {

class DeviceHeap {
 public:
  // Returns an address that is a multiple of 16, or 0 if there is no room for `size` bytes.
  uint64_t allocate(size_t size, size_t heap_size, const memory::Asker& asker) EXCLUDES(mutex_);
  // Returns false if nothing is allocated at `address`.
  bool free(uint64_t address) EXCLUDES(mutex_);
  // Returns the heap if `address` lies in it.
  struct Range {
    uint64_t begin, end;
  };
  std::optional<Range> find(uint64_t address) EXCLUDES(mutex_);
  bool exists() EXCLUDES(mutex_);
  // Drops the heap, because its context has ended and freed the memory.
  void forget() EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  Ref<memory::Allocation> memory_ GUARDED_BY(mutex_);
  std::optional<memory::Heap> heap_ GUARDED_BY(mutex_);
  std::unordered_map<uint64_t, size_t> sizes_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
