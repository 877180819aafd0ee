// SPDX-License-Identifier: Apache-2.0
// AddressSpaceBody: what an AddressSpace consists of, for the files that implement it.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/rounding.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/budget.hpp"
#include "sim/memory/device_memory.hpp"
#include "sim/memory/fill.hpp"
#include "sim/memory/freed_ring.hpp"
#include "sim/memory/range_index.hpp"
#include "sim/memory/requester.hpp"
#include "sim/memory/virtual_memory.hpp"
#include "sim/memory/windows.hpp"
#include "sim/os/reservation.hpp"

namespace cuvette::memory {

// ThreadSanitizer leaves a program little more than this in one piece.
inline constexpr size_t most_addresses = size_t{1} << 40;

struct AddressSpaceBody {
  AddressSpaceBody(os::Reservation reserved, Fill fill);
  ~AddressSpaceBody();

  // Allocates a device's memory; the caller puts the result into an index.
  Result<Ref<Allocation>> allocate(AllocationKind kind, size_t size, const Requester& requester,
                                   size_t alignment = DeviceMemory::granularity);
  // Frees it once no other process has it open any more.
  void free_device_memory(const Allocation& allocation);
  // Fills a part of a pool with `pattern`, as far as `fill` says.
  void fill_part(const Allocation& part, uint32_t pattern) const;

  // Maps host memory that devices reach; the caller puts it into an index.
  Result<Ref<Allocation>> map_host(AllocationKind kind, size_t size, const Requester& requester);

  // Maps bytes of a segment into their own window; the caller puts the result into an index.
  Result<Ref<Allocation>> map(AllocationKind kind, const SegmentBytes& bytes,
                              const Requester& requester);
  // Like map(), and puts it into `living`.
  Result<Ref<Allocation>> map_living(AllocationKind kind, const SegmentBytes& bytes,
                                     const Requester& requester);
  void unmap(const Allocation& allocation);

  // Makes a record; the caller puts it into an index.
  Ref<Allocation> make(AllocationKind kind, DevicePtr address, size_t size,
                       const Requester& requester);

  os::Reservation reservation;
  const Fill fill;
  Budget budget;
  std::vector<std::unique_ptr<DeviceMemory>> devices;
  std::vector<size_t> totals;  // bytes of each device, as asked for; its window is whole chunks
  Mutex files_mutex;           // which pages have their own file, and which must not
  RangeIndex living;
  RangeIndex arrays;                     // living arrays and reserves, which find() skips
  std::atomic<size_t> host_reserves{0};  // how many of them are host memory
  mutable Mutex hidden_mutex;
  // Freed in a stream's order and not ended; may overlap. The oldest is first, since commands end
  // them in much the same order.
  std::deque<Ref<Allocation>> hidden GUARDED_BY(hidden_mutex);
  std::atomic<uint64_t> begun_frees{0}, ended_frees{0};  // in the order of streams
  FreedRing freed;
  FreedRing freed_host;  // host memory: the program may get its addresses again
  VirtualMemory virtual_memory{living, freed};
  // Graphics memory that was lent once, whether or not it is lent now. It has its own index,
  // because the addresses of what is not lent may belong to something else by now.
  RangeIndex lendable;
  std::atomic<size_t> lendables{0};
  Mutex lend_mutex;  // held while lendable is changed
  Mutex windows_mutex;
  Windows windows GUARDED_BY(windows_mutex);
  static std::atomic<uint64_t> next_buffer_id;  // also across the address spaces of one process
};

}  // namespace cuvette::memory
