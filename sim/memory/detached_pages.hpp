// SPDX-License-Identifier: Apache-2.0
// DetachedPages: the pages of a device's memory that have their own file, because a program
// has asked for a descriptor of them (cuMemGetHandleForAddressRange).
//
// All memory of a device lies in one file, and no descriptor can stand for a part of a file. So the
// pages move into a new one, which is mapped in their place: addresses and contents stay, and
// commands that are running notice nothing. They move back when they are asked for with other
// bounds, unless a process still has the descriptor. When the device gets the memory back, they are
// left to the descriptor's holder. A pool keeps what it has: as on a GPU, what it gives out next at
// those addresses is in the same file.
//
// Threads: any. Invariants: ranges are whole pages, and no two overlap.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/memory/address.hpp"
#include "sim/memory/budget.hpp"
#include "sim/os/reservation.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::memory {

class DetachedPages {
 public:
  // `segment` is what is mapped at `begin`.
  DetachedPages(os::Reservation& reservation, Ref<os::Segment> segment, DevicePtr begin,
                Budget& budget)
      : reservation_(reservation), segment_(std::move(segment)), begin_(begin), budget_(budget) {}

  // Returns a new descriptor of a file that is [address, address + size), whole pages which the
  // machine has been asked for. Errors: not_supported if they overlap others with a descriptor that
  // is still open somewhere; out_of_memory, operating_system.
  Result<int> descriptor_of(DevicePtr address, size_t size);

  // Moves all pages of [address, address + size) back. Errors: as descriptor_of().
  Result<> attach(DevicePtr address, size_t size);

  // The contents are dead; detached pages now belong to the descriptor's holder.
  void leave(DevicePtr address, size_t size) {
    if (count_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      leave_some(address, size);
  }

 private:
  struct Range {
    DevicePtr address;
    size_t size;
    Ref<os::Segment> file;
    DevicePtr end() const { return address + size; }
  };

  Result<> attach_locked(DevicePtr address, size_t size) REQUIRES(mutex_);
  void leave_some(DevicePtr address, size_t size);
  void erase(size_t index) REQUIRES(mutex_);

  os::Reservation& reservation_;
  const Ref<os::Segment> segment_;
  const DevicePtr begin_;
  Budget& budget_;
  Mutex mutex_;
  std::vector<Range> ranges_ GUARDED_BY(mutex_);
  std::atomic<size_t> count_{0};
};

}  // namespace cuvette::memory
