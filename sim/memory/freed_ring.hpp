// SPDX-License-Identifier: Apache-2.0
// FreedRing: the allocations that were freed last, for reports about stale pointers.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::memory {

class FreedRing {
 public:
  void add(Ref<Allocation> freed) {
    MutexLock lock(mutex_);
    // The entry that drops out is released with `freed`, after the lock.
    lowest_.store(std::min(lowest_.load(std::memory_order_relaxed), freed->address),
                  std::memory_order_relaxed);
    highest_.store(std::max(highest_.load(std::memory_order_relaxed), freed->end()),
                   std::memory_order_relaxed);
    std::swap(freed_[next_ % freed_.size()], freed);
    ++next_;
  }

  // Returns the allocation that held `address` and was freed last, or none.
  Ref<Allocation> find(DevicePtr address) const {
    if (address < lowest_.load(std::memory_order_relaxed) ||
        address >= highest_.load(std::memory_order_relaxed))
      return nullptr;
    MutexLock lock(mutex_);
    for (size_t age = 1; age <= freed_.size(); ++age) {
      const Ref<Allocation>& freed = freed_[(next_ - age) % freed_.size()];
      if (freed && freed->contains(address, 1)) return freed;
    }
    return nullptr;
  }

 private:
  mutable Mutex mutex_;
  std::array<Ref<Allocation>, 256> freed_ GUARDED_BY(mutex_);
  size_t next_ GUARDED_BY(mutex_) = 0;
  // All that was ever freed lies in [lowest, highest); most lookups are for other addresses.
  std::atomic<DevicePtr> lowest_{UINT64_MAX}, highest_{0};
};

}  // namespace cuvette::memory
