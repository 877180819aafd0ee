// SPDX-License-Identifier: Apache-2.0
// DeviceMemory: one device's memory, a sparse segment that is mapped once, and which parts of it
// are allocated.
//
// It has more addresses than memory, so that free memory in many pieces is as good as in one: a GPU
// maps pages to get there. Touched pages of a free piece go back to the machine after a while, so
// only the addresses are in pieces.
//
// A program that reads what it has not written, or has freed, should notice: fresh and freed memory
// is filled with patterns, and small blocks are reused late.
//
// Threads: any; allocate() and free() fill memory, so the caller must not hold an os::DeviceAccess.
// Invariants: at most capacity() bytes are in use, wherever they lie; every chunk that may have
// been touched is marked in touched_ and promised by the budget; free_touched_ counts the marked
// chunks that lie wholly in one free block of the heap.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/memory/address.hpp"
#include "sim/memory/budget.hpp"
#include "sim/memory/detached_pages.hpp"
#include "sim/memory/fill.hpp"
#include "sim/memory/heap.hpp"
#include "sim/memory/touched.hpp"
#include "sim/os/reservation.hpp"
#include "sim/os/segment.hpp"
#include "sim/processes/ledger.hpp"

namespace cuvette::memory {

class DeviceMemory {
 public:
  static constexpr size_t granularity = 512;

  struct Size {
    size_t capacity;   // bytes that may be in use
    size_t addresses;  // at least as many, a multiple of the chunk size
  };
  // Maps a new segment at `begin`. `budget` outlives it. `gap`: the number of unused bytes after
  // each allocation. Errors: out_of_memory, operating_system.
  static Result<std::unique_ptr<DeviceMemory>> create(os::Reservation& reservation, DevicePtr begin,
                                                      Size size, Fill fill, Budget& budget,
                                                      size_t gap = 0);

  // Allocates `size` > 0 bytes at a multiple of `alignment` and of the granularity, and fills them.
  // Errors: out_of_memory.
  Result<DevicePtr> allocate(size_t size, size_t alignment = granularity);
  void free(DevicePtr address, size_t size);

  // Frees an allocation that lies in the segment later, if other processes have it open: they go on
  // reading what is there. False if none has.
  bool keep_lent(DevicePtr address, size_t size);
  // Frees what other processes have closed since.
  void reclaim() {
    if (lent_count_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      reclaim_some();
  }

  // Returns the pages that lie wholly inside an allocation. Their content is not needed; commands
  // that use it later touch it anew.
  void discard(DevicePtr address, size_t size);

  // Returns a new descriptor of whole pages of an allocation, and moves such pages back into the
  // segment: see DetachedPages. Errors: out_of_memory, and as there.
  Result<int> descriptor_of(DevicePtr address, size_t size) {
    TRY(touch(address, size));
    return detached_.descriptor_of(address, size);
  }
  Result<> attach(DevicePtr address, size_t size) { return detached_.attach(address, size); }

  // Counts bytes as in use, here or elsewhere. Errors: out_of_memory.
  Result<> count(size_t size);
  void discount(size_t size) {
    used_.fetch_sub(size, std::memory_order_relaxed);
    if (ledger_) [[unlikely]]
      ledger_->give_back(size);
    budget_.withdraw(size);
  }

  // Accounts for the chunks of [address, address + size), as far as it lies in this memory.
  Result<> touch(DevicePtr address, size_t size) {
    const Touched::Chunks chunks = chunks_of(address, size);
    if (touched_.all(chunks)) [[likely]]
      return {};
    return touch_first(chunks);
  }

  const Ref<os::Segment>& segment() const { return segment_; }
  DevicePtr begin() const { return begin_; }
  size_t capacity() const { return size_.capacity; }
  size_t addresses() const { return size_.addresses; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }

  // Has other processes share the memory, before any of it is used.
  void share(std::unique_ptr<processes::Ledger> ledger) { ledger_ = std::move(ledger); }
  // Returns what all processes that share it have in use; this one, if none do.
  size_t used_by_all() const { return ledger_ ? std::max(used(), ledger_->used()) : used(); }
  // Notes what the contexts of this process take, which counts for the others.
  void set_context_memory(size_t bytes) {
    if (ledger_) ledger_->set_contexts(bytes);
  }

 private:
  struct Freed {
    DevicePtr at;
    size_t size;
  };

  DeviceMemory(os::Reservation& reservation, Ref<os::Segment> segment, DevicePtr begin, Size size,
               Fill fill, Budget& budget, size_t gap);

  size_t taken_by(size_t size) const;  // with the gap after it

  Result<> touch_first(Touched::Chunks chunks);
  Result<> fill(DevicePtr at, size_t size, uint32_t pattern);
  Touched::Chunks chunks_of(DevicePtr address, size_t size) const;
  Touched::Chunks free_chunks(DevicePtr at, size_t size, Heap::Block block) const;

  std::optional<DevicePtr> take(size_t size, size_t least) REQUIRES(mutex_);
  std::optional<DevicePtr> take_aligned(size_t size, size_t alignment) REQUIRES(mutex_);
  void give(DevicePtr at, size_t size) REQUIRES(mutex_);
  void retire(size_t bytes, size_t count) REQUIRES(mutex_);
  void reclaim_some() EXCLUDES(mutex_);
  bool is_lent(DevicePtr address, size_t size) const {
    return segment_->is_lent(address - begin_, size);
  }
  void discard_free_chunks() REQUIRES(mutex_);

  const Ref<os::Segment> segment_;
  const DevicePtr begin_;
  const Size size_;
  const size_t gap_;
  const Fill fill_;
  Budget& budget_;
  Touched touched_;
  DetachedPages detached_;
  std::atomic<size_t> used_{0};
  std::unique_ptr<processes::Ledger> ledger_;  // null unless processes share the memory

  Mutex mutex_;
  Heap heap_ GUARDED_BY(mutex_);
  // Small blocks freed lately, oldest first; not in the heap yet.
  std::deque<Freed> waiting_ GUARDED_BY(mutex_);
  size_t waiting_bytes_ GUARDED_BY(mutex_) = 0;
  size_t free_touched_ GUARDED_BY(mutex_) = 0;
  // Freed, but open in other processes; still in use.
  std::vector<Freed> lent_ GUARDED_BY(mutex_);
  std::atomic<size_t> lent_count_{0};
};

}  // namespace cuvette::memory
