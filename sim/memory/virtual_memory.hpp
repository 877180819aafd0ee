// SPDX-License-Identifier: Apache-2.0
// VirtualMemory: reserved ranges of addresses, and the physical memory that is mapped into them.
//
// The addresses lie in one reservation of their own, made with the first range: programs reserve
// far more than they map. A mapping is an Allocation like others. It begins without any rights, so
// mapping needs no system call: the pages come with the first right (set_access). Devices have
// their rights each for itself (Allocation::rights); the pages have the strongest of them
// (Allocation::access), so whoever submits or runs work of a device looks at that device's.
//
// Threads: any. Lock order: mutex_, then the indexes' own. Invariants: a mapping is all of one
// PhysicalMemory, inside one range; ranges_ holds the same mappings as the index of the living.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/freed_ring.hpp"
#include "sim/memory/heap.hpp"
#include "sim/memory/physical_memory.hpp"
#include "sim/memory/range_index.hpp"
#include "sim/os/reservation.hpp"

namespace cuvette::memory {

class VirtualMemory {
 public:
  static constexpr size_t granularity = size_t{2} << 20;

  // `living` and `freed` outlive it.
  VirtualMemory(RangeIndex& living, FreedRing& freed) : living_(living), freed_(freed) {}
  ~VirtualMemory();

  // Reserves `size` bytes of addresses at a multiple of `alignment` (0: of the granularity); at
  // `wish`, which is such a multiple, if that is free. Errors: invalid_value, out_of_memory.
  Result<DevicePtr> reserve(size_t size, size_t alignment, DevicePtr wish = 0) EXCLUDES(mutex_);
  // Gives a range back. Errors: invalid_value unless it is a whole range with nothing mapped in it.
  Result<> give_back(DevicePtr address, size_t size) EXCLUDES(mutex_);

  // Maps all of `physical`, of `size` bytes, at `address`, without rights. `mapping` says who
  // asked. Errors: not_supported for a part of the memory or of a granule, invalid_value for
  // addresses that are not free in one range.
  Result<> map(DevicePtr address, size_t size, Ref<PhysicalMemory> physical,
               Ref<Allocation> mapping) EXCLUDES(mutex_);
  // In the calls below [address, address + size) must consist of whole mappings, or be reserved
  // with nothing mapped in it for the next two. Returns the record that commands hold a Use of
  // while they use any of them. Errors: invalid_value.
  Result<Ref<Allocation>> users_of(DevicePtr address, size_t size) EXCLUDES(mutex_);
  // Unmaps; no command may be using the memory any more. Errors: invalid_value.
  Result<> unmap(DevicePtr address, size_t size) EXCLUDES(mutex_);

  struct Rights {
    std::map<unsigned, Access> devices;  // only changed ones, by ordinal
    std::optional<Access> host;          // none: unchanged
  };
  // Whether `rights` would take a right away from a mapping. Errors: invalid_value.
  Result<bool> narrows(DevicePtr address, size_t size, const Rights& rights) EXCLUDES(mutex_);
  // Sets the rights. Errors: invalid_value; out_of_memory, after which some mappings may have no
  // rights at all.
  Result<> set_access(DevicePtr address, size_t size, const Rights& rights) EXCLUDES(mutex_);
  // Returns the record of the reserved range that holds `address`, or null.
  Ref<Allocation> range_at(DevicePtr address) EXCLUDES(mutex_);
  // Returns what a device may do with the mapping at `address`: nothing if there is none.
  Access right_of(unsigned device, DevicePtr address) EXCLUDES(mutex_);

  // True if `address` can be in a range, mapped or not, so that no host memory is there. Takes no
  // lock.
  bool contains(DevicePtr address) const {
    const os::Reservation* reservation = made_.load(std::memory_order_acquire);
    return reservation && reservation->contains(address);
  }
  // See AddressSpace::keep_from_children().
  void keep_from_children() const {
    if (const auto* reservation = made_.load(std::memory_order_acquire))
      reservation->keep_from_children();
  }

 private:
  struct Range {
    Ref<Allocation> record;  // in no index; it counts the users of the range
    std::map<DevicePtr, Ref<Allocation>> mappings;
  };
  using Mappings = std::vector<Ref<Allocation>>;

  Result<> make_reservation() REQUIRES(mutex_);
  Range* range_of(DevicePtr address, size_t size) REQUIRES(mutex_);
  Result<Mappings> whole_mappings(DevicePtr address, size_t size) REQUIRES(mutex_);
  bool nothing_mapped(DevicePtr address, size_t size) REQUIRES(mutex_);
  Result<> apply(Allocation& mapping, const Rights& rights) REQUIRES(mutex_);
  Result<> map_pages(Allocation& mapping, Access device, Access host) REQUIRES(mutex_);

  RangeIndex& living_;
  FreedRing& freed_;
  std::atomic<os::Reservation*> made_{nullptr};
  Mutex mutex_;
  std::unique_ptr<os::Reservation> reservation_ GUARDED_BY(mutex_);
  std::optional<Heap> addresses_ GUARDED_BY(mutex_);
  std::map<DevicePtr, Range> ranges_ GUARDED_BY(mutex_);
};

// Makes a record of a mapping or a window that is gone, for reports; it keeps no memory alive.
Ref<Allocation> record_of(const Allocation& allocation);

}  // namespace cuvette::memory
