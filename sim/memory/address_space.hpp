// SPDX-License-Identifier: Apache-2.0
// AddressSpace: everything devices can reach, by address; it gives out and takes back ranges.
//
// One reservation holds, for each device, a window over that device's memory (one sparse segment,
// mapped once) and, behind those, windows for external memory. Host memory (pinned, registered,
// managed) lies outside the reservation.
//
// Threads: any. Lookups take a shared lock. Invariants: allocations do not overlap; addresses of
// external windows are given out in rising order and used again as late as possible, so that a
// stale pointer meets nothing instead of somebody else's memory.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/error.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/fill.hpp"
#include "sim/memory/virtual_memory.hpp"

namespace cuvette::memory {

// Who asks, for the record in the Allocation.
struct Asker {
  uint64_t owner = 0;  // identifier of the context
  uint8_t device = 0;
  const void* call_site = nullptr;
};

class AddressSpace {
 public:
  struct Options {
    std::vector<size_t> capacities;  // bytes of each device
    Fill fill = Fill::edges;
  };
  // Errors: out_of_memory.
  static Result<std::unique_ptr<AddressSpace>> create(const Options& options);
  ~AddressSpace();

  // --- Device memory -----------------------------------------------------------------------------
  // `size` > 0 bytes at a multiple of 512. Errors: out_of_memory (also when no memory of the
  // machine is left for what filling touches).
  Result<Ref<Allocation>> allocate(size_t size, const Asker& asker);
  // The same for an array: find() does not find it, since no program knows its address.
  Result<Ref<Allocation>> allocate_array(size_t size, const Asker& asker);

  // A module's variable, of device memory or managed memory, with all bytes 0.
  Result<Ref<Allocation>> allocate_variable(std::string_view name, size_t size, bool managed,
                                            const Asker& asker);

  // Bytes [offset, offset + size) of `segment`, which must lie inside it, at a new address:
  // congruent to `offset` modulo 64 KiB, not overlapping any other. Two of them over the same bytes
  // are aliases. Errors: out_of_memory, operating_system.
  Result<Ref<Allocation>> map_external(const Ref<os::Segment>& segment, uint64_t offset,
                                       size_t size, const Asker& asker);

  // The same of another process's device memory.
  Result<Ref<Allocation>> map_shared(const Ref<os::Segment>& segment, uint64_t offset, size_t size,
                                     const Asker& asker);

  // --- Virtual memory ----------------------------------------------------------------------------
  VirtualMemory& virtual_memory() const;
  // `size` bytes without an address, at `properties`'s location; on a device they count as its own.
  // Errors: out_of_memory, invalid_device.
  Result<Ref<PhysicalMemory>> create_physical(const PhysicalProperties& properties, size_t size);
  // As VirtualMemory::map().
  Result<> map_physical(DevicePtr address, size_t size, Ref<PhysicalMemory> physical,
                        const Asker& asker);

  // --- Memory pools ------------------------------------------------------------------------------
  // Memory for a pool to cut up, which find() does not find; it ends with free(). Of the device's
  // own memory, or bytes of `segment`, whose size then counts as used on the device.
  // Errors: out_of_memory, operating_system.
  Result<Ref<Allocation>> reserve(size_t size, const Asker& asker);
  Result<Ref<Allocation>> reserve(const Ref<os::Segment>& segment, uint64_t offset, size_t size,
                                  const Asker& asker);
  // The same of the host's memory, for a pool of host memory or of managed memory.
  Result<Ref<Allocation>> reserve_host(PoolMemory memory, size_t size, const Asker& asker);
  // A part of a reserve, found by its address from now on; no device may use the host's yet. What
  // its fresh pattern will touch is accounted for. Errors: out_of_memory, operating_system.
  Result<Ref<Allocation>> cut(const Allocation& reserve, DevicePtr address, size_t size,
                              uint64_t pool, const Asker& asker);
  // The same bytes as another process's part of a pool, at an address of their own.
  Result<Ref<Allocation>> map_pooled(const Ref<os::Segment>& segment, uint64_t offset, size_t size,
                                     uint64_t pool, const Asker& asker);
  // Fills a part of a pool with what fresh memory holds, as far as Options::fill says.
  void fill_fresh(const Allocation& part) const;
  // The same of [address, address + size), whose content the program has given up.
  void fill_fresh(DevicePtr address, size_t size) const;

  // Gives back the pages of device or managed memory that nobody is at and whose content nobody
  // needs.
  void discard(const Allocation& allocation);

  // --- The two halves of free(), for memory that is freed in a stream's order ---
  // It is no longer found. Errors: invalid_value if it is not found any more already.
  Result<> hide(const Ref<Allocation>& allocation);
  // What hide() has hidden ends: device memory is free, an imported part is unmapped, and a part of
  // a pool holds what freed memory holds.
  void end(const Allocation& hidden);

  // --- Graphics memory ---------------------------------------------------------------------------
  // `size` bytes at `address`, outside the reservation, which stay the lender's: found by their
  // addresses from lend() to free(), which a program calls for every frame, and for reports as
  // those that are freed are.
  Ref<Allocation> lendable(DevicePtr address, size_t size, Ref<Lender> lender, const Asker& asker);
  // Errors: invalid_value if any byte of the range can be found already.
  Result<> lend(const Ref<Allocation>& allocation);
  void forget(const Ref<Allocation>& allocation);

  // --- Host memory -------------------------------------------------------------------------------
  Result<Ref<Allocation>> allocate_host(AllocationKind kind, size_t size, uint32_t flags,
                                        const Asker& asker);  // pinned or managed
  // Errors: host_memory_already_registered if any byte of the range is known already.
  Result<Ref<Allocation>> register_host(DevicePtr address, size_t size, uint32_t flags,
                                        const Asker& asker);

  // Ends the allocation: it is no longer found, and its addresses may be given out again.
  // Nobody may be using the memory. Errors: invalid_value if it has ended already.
  Result<> free(const Ref<Allocation>& allocation);
  // Ends all allocations of a context.
  void free_all_of(uint64_t owner);

  // --- Lookup ------------------------------------------------------------------------------------
  // The allocation that holds the byte at `address`, or none.
  Ref<Allocation> find(DevicePtr address) const;
  // The freed allocation of device, external or graphics memory that held `address` most recently,
  // if it is remembered (the last few hundred are), for reports.
  Ref<Allocation> find_freed(DevicePtr address) const;
  // Whether pinned or managed memory that was freed held `address`, and the program has nothing
  // else there by now that could be read, or written.
  bool freed_and_gone(DevicePtr address, size_t size, bool write) const;
  // Where all of a device's own memory lies, allocated or not.
  struct Window {
    DevicePtr begin;
    size_t size;
  };
  Window window(unsigned device) const;
  // How much of fresh memory is filled.
  Fill fill() const;
  // True if `address` lies inside a reservation or a pool's reserve, allocated or not: no memory of
  // the program's own is there.
  bool reserved(DevicePtr address) const;
  // Children forked from now on do not inherit device memory. Takes no lock.
  void keep_from_children() const;
  // All living allocations, in address order; what is lent and then those of arrays behind the
  // others.
  std::vector<Ref<Allocation>> all() const;

  // --- Memory ------------------------------------------------------------------------------------
  // To be called before a command touches `region` of `allocation`'s memory for the first time:
  // accounts for pages that the machine will have to find. Errors: out_of_memory, with a sentence
  // on stderr, when the machine or the cgroup has not got them (the kernel's killer would come
  // instead).
  Result<> touch(const Allocation& allocation, const Region& region);

  // Overwrites what `region` holds with what fresh memory holds, as far as Options::fill says.
  // Nobody may be using it. Errors: out_of_memory, as of touch().
  Result<> make_fresh(const Allocation& allocation, const Region& region);

  struct Usage {
    size_t free, total;
  };
  // Of a device's capacity. External memory does not count.
  Usage usage(unsigned device) const;
  // How many bytes all devices together may come to use, as Budget::most() says.
  size_t machine_gives() const;

 private:
  struct Body;
  explicit AddressSpace(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace cuvette::memory
