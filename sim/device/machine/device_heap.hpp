// SPDX-License-Identifier: Apache-2.0
// DeviceHeap: the memory that kernels of a context allocate and free themselves.
//
// It is made at the first allocation, as large as CU_LIMIT_MALLOC_HEAP_SIZE says then, and ends
// with the context. With CUVETTE_CHECK=memory allocations are distinguished: there is a gap after
// each, and freed memory is not reused for as long as possible. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/mutex.hpp"
#include "sim/memory/address_space.hpp"
#include "sim/memory/heap.hpp"

namespace cuvette::device {

class DeviceHeap {
 public:
  // An instruction of a kernel.
  struct Caller {
    std::string_view kernel;
    uint64_t location = 0;  // made by location_of()
  };
  // Returns an address that is a multiple of 16, or 0 if `size` bytes do not fit.
  uint64_t allocate(size_t size, size_t heap_size, const memory::Requester& requester,
                    const Caller& by) EXCLUDES(mutex_);
  // Returns how many bytes may not be accessed any more: none where the heap is one memory. Nothing
  // if nothing is allocated at `address`.
  std::optional<size_t> free(uint64_t address, const Caller& by) EXCLUDES(mutex_);

  // Whether the address lies in the heap.
  bool contains(uint64_t address) EXCLUDES(mutex_);
  // The memory that kernels may access: the heap, or an allocation where these are distinguished.
  struct Range {
    uint64_t begin = 0, end = 0;
    bool lasts = true;  // as long as the heap
  };
  // Returns the piece at an address of the heap; nothing where there is none.
  std::optional<Range> accessible(uint64_t address) EXCLUDES(mutex_);
  bool exists() EXCLUDES(mutex_);
  // Drops the heap, because its context has ended and freed the memory.
  void forget() EXCLUDES(mutex_);

  // Who did something, for reports.
  struct Place {
    std::string kernel;
    uint64_t location = 0;
  };
  // An allocation, which may be freed.
  struct Piece {
    uint64_t begin = 0;
    size_t size = 0;   // that was asked for
    size_t taken = 0;  // with what is behind it
    Place allocated_at;
    std::optional<Place> freed_at;
    uint64_t end() const { return begin + size; }
  };
  // Returns the allocation at an address of the heap or, if there is none, the one before it.
  std::optional<Piece> nearest(uint64_t address) EXCLUDES(mutex_);

 private:
  void give_back_oldest() REQUIRES(mutex_);

  Mutex mutex_;
  Ref<memory::Allocation> memory_ GUARDED_BY(mutex_);
  std::optional<memory::Heap> heap_ GUARDED_BY(mutex_);
  std::map<uint64_t, Piece> pieces_ GUARDED_BY(mutex_);  // by their addresses
  // Freed and not given back yet, the oldest first.
  std::deque<uint64_t> held_ GUARDED_BY(mutex_);
  size_t held_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::device
