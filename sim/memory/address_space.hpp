// SPDX-License-Identifier: Apache-2.0
// AddressSpace: everything that devices can reach, by address; it gives ranges out and takes them
// back.
//
// One reservation holds, for each device, a window over that device's memory (one sparse segment,
// mapped once) followed by windows for external memory. Host memory (pinned, registered,
// managed) lies outside the reservation.
//
// Threads: any. Lookups take a shared lock. Invariants: allocations do not overlap; addresses of
// external windows are allocated in rising order and reused as late as possible, so that a stale
// pointer finds nothing instead of another object's memory.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/memory/fill.hpp"
#include "sim/memory/requester.hpp"
#include "sim/memory/virtual_memory.hpp"
#include "sim/processes/ledger.hpp"

namespace cuvette::memory {

struct AddressSpaceBody;

class AddressSpace {
 public:
  struct Options {
    std::vector<size_t> capacities;  // bytes of each device
    Fill fill = Fill::edges;
    size_t gap = 0;     // bytes of the gap after each allocation
    bool gate = false;  // whether one replaces protection keys where there are none
  };
  // Errors: out_of_memory.
  static Result<std::unique_ptr<AddressSpace>> create(const Options& options);
  ~AddressSpace();

  // --- Device memory -----------------------------------------------------------------------------
  // Allocates `size` > 0 bytes at a multiple of 512. Errors: out_of_memory (also when the machine
  // has no memory left for what filling touches).
  Result<Ref<Allocation>> allocate(size_t size, const Requester& requester);
  // Waits until the frees that are queued now have been done; gives up when none is for some time,
  // since the host may hold them up. Allocations do that by themselves before they refuse. The
  // caller holds no lock that a free may need. Returns whether any has been done.
  bool wait_for_frees();
  // Like allocate(), for an array: find() does not find it, because no program knows its address.
  Result<Ref<Allocation>> allocate_array(size_t size, const Requester& requester);

  // Allocates a module's variable in device memory or managed memory, with all bytes 0.
  struct NewVariable {
    std::string_view name;
    size_t size;
    size_t alignment = 1;  // a power of two up to the size of a page
    bool managed = false;
  };
  Result<Ref<Allocation>> allocate_variable(const NewVariable& variable,
                                            const Requester& requester);

  // Maps bytes of a segment, which must lie inside it, at a new address: congruent to the bytes'
  // offset modulo 64 KiB, not overlapping any other. Two mappings of the same bytes are aliases.
  // Errors: out_of_memory, operating_system.
  Result<Ref<Allocation>> map_external(const SegmentBytes& bytes, const Requester& requester);
  // Like map_external(), for an array: find() does not find it.
  Result<Ref<Allocation>> map_external_array(const SegmentBytes& bytes, const Requester& requester);
  // Like map_external(), for another process's device memory.
  Result<Ref<Allocation>> map_shared(const SegmentBytes& bytes, const Requester& requester);

  // --- Files of device memory ------------------------------------------------------------------
  // Returns a new descriptor of a file that is [address, address + size) of an allocation of device
  // memory: whole pages, which commands go on using. Errors: not_supported if the memory lies in a
  // file that other processes have (or may have), or if it overlaps another range with a descriptor
  // that is still open; out_of_memory, operating_system.
  Result<int> descriptor_of(const Allocation& allocation, DevicePtr address, size_t size);
  // Has device memory stay at its place in its segment, because other processes map it from there.
  // Errors: not_supported if a descriptor of a part of it is open; out_of_memory.
  Result<> keep_in_segment(Allocation& allocation);

  // --- Virtual memory ----------------------------------------------------------------------------
  VirtualMemory& virtual_memory() const;
  // Creates `size` bytes without an address, at the location in `properties`; on a device they
  // count as its memory. `first_page`: see PhysicalMemory::create(). Errors: out_of_memory,
  // invalid_device.
  Result<Ref<PhysicalMemory>> create_physical(const PhysicalProperties& properties, size_t size,
                                              WriteFirstPage first_page = nullptr);
  // Maps it as VirtualMemory::map() does.
  Result<> map_physical(DevicePtr address, size_t size, Ref<PhysicalMemory> physical,
                        const Requester& requester);

  // --- Memory pools ------------------------------------------------------------------------------
  // Reserves memory for a pool to cut up, which find() does not find; it ends with free(). It is
  // the device's own memory, or bytes of `segment`; their size then counts as used on the device.
  // Errors: out_of_memory, operating_system.
  Result<Ref<Allocation>> reserve(size_t size, const Requester& requester);
  Result<Ref<Allocation>> reserve(const Ref<os::Segment>& segment, uint64_t offset, size_t size,
                                  const Requester& requester);
  // Like reserve(), with the host's memory: for a pool of host memory or of managed memory.
  Result<Ref<Allocation>> reserve_host(PoolMemory memory, size_t size, const Requester& requester);
  // Cuts a part out of a reserve; find() finds it from now on. No device may use it yet if it is
  // host memory. Accounts for what its fresh pattern will touch. Errors: out_of_memory,
  // operating_system.
  Result<Ref<Allocation>> cut(const Allocation& reserve, DevicePtr address, size_t size,
                              uint64_t pool, const Requester& requester);
  // Maps another process's part of a pool at its own address.
  Result<Ref<Allocation>> map_pooled(const Ref<os::Segment>& segment, uint64_t offset, size_t size,
                                     uint64_t pool, const Requester& requester);
  // Fills a part of a pool with the fresh pattern, as far as Options::fill says.
  void fill_fresh(const Allocation& part) const;
  // Like the above, for [address, address + size), after the program has given up its content.
  void fill_fresh(DevicePtr address, size_t size) const;

  // Returns the pages of device or managed memory. Nothing uses them, and their content is not
  // needed.
  void discard(const Allocation& allocation);

  // --- The two halves of free(), for memory that is freed in a stream's order ---
  // Hides it from find(). Errors: invalid_value if it is hidden already.
  Result<> hide(const Ref<Allocation>& allocation);
  // Ends what hide() has hidden: device memory becomes free, an imported part is unmapped, and a
  // part of a pool is filled with the freed pattern.
  void end(const Allocation& hidden);

  // --- Graphics memory ---------------------------------------------------------------------------
  // Makes a record of `size` bytes at `address`, outside the reservation, which stay the lender's.
  // They are found by their addresses from lend() to free(), which a program calls for every frame;
  // find_freed() finds them at other times, too.
  Ref<Allocation> make_lendable(DevicePtr address, size_t size, Ref<Lender> lender,
                                const Requester& requester);
  // Lets find() find them. Errors: invalid_value if it finds any byte of the range already.
  Result<> lend(const Ref<Allocation>& allocation);
  void forget(const Ref<Allocation>& allocation);

  // --- Host memory -------------------------------------------------------------------------------
  Result<Ref<Allocation>> allocate_host(AllocationKind kind, size_t size, uint32_t flags,
                                        const Requester& requester);  // pinned or managed
  // Errors: host_memory_already_registered if any byte of the range is known already.
  Result<Ref<Allocation>> register_host(DevicePtr address, size_t size, uint32_t flags,
                                        const Requester& requester);

  // Ends the allocation: it is no longer found, and its addresses may be given out again. The
  // memory must no longer be used. Errors: invalid_value if it has ended already.
  Result<> free(const Ref<Allocation>& allocation);
  // Ends all allocations of a context.
  void free_all_of(uint64_t owner);

  // --- Lookup ------------------------------------------------------------------------------------
  // Returns the allocation that holds the byte at `address`, or none.
  Ref<Allocation> find(DevicePtr address) const;
  // Calls `look` with what find() returns, without counting a reference to it; false if that is
  // none. The memory cannot end meanwhile, so `look` must be short and take no lock.
  template <typename Look>
  bool look_at(DevicePtr address, Look look) const {
    return look_at(
        address,
        [](void* own, const Allocation& allocation) { (*static_cast<Look*>(own))(allocation); },
        &look);
  }
  // The same for commands: also finds what hide() has hidden and end() has not ended yet.
  Ref<Allocation> find_in_use(DevicePtr address) const;
  // The same for what a kernel has touched, perhaps through a texture or a surface: also finds
  // arrays.
  Ref<Allocation> find_touched(DevicePtr address) const;
  // Returns what a command that runs now touches there, for the record of this process: memory that
  // a later command frees comes before the memory that has taken its place at the call.
  Ref<Allocation> find_recorded(DevicePtr address) const;
  // Returns the memory that a pool or the heap of kernels gives parts of, or none.
  Ref<Allocation> find_reserve(DevicePtr address) const;
  // Returns the freed allocation of device, external or graphics memory that held `address` most
  // recently, if it is still remembered (the last few hundred are), for reports.
  Ref<Allocation> find_freed(DevicePtr address) const;
  // Whether pinned or managed memory that held `address` was freed, and nothing is there now that
  // could be read (or written, if `write`).
  bool freed_and_gone(DevicePtr address, size_t size, bool write) const;
  // The place of a device's own memory, allocated or not.
  struct Window {
    DevicePtr begin;
    size_t size;
  };
  Window window(unsigned device) const;
  // Returns how much of fresh memory is filled.
  Fill fill() const;
  // True if `address` lies inside a reservation or a pool's reserve, allocated or not, so that the
  // program has no memory of its own there.
  bool reserved(DevicePtr address) const;
  // Keeps children that are forked from now on from inheriting device memory. Takes no lock.
  void keep_from_children() const;
  // Returns all living allocations in address order, then lent memory, then arrays and reserves.
  std::vector<Ref<Allocation>> all() const;

  // --- Memory ------------------------------------------------------------------------------------
  // Accounts for the pages that the machine will have to find; called before a command touches
  // `region` of the allocation's memory for the first time. Errors: out_of_memory, with a sentence
  // on stderr, when the machine or the cgroup does not have them (the kernel would kill a process
  // instead).
  Result<> touch(const Allocation& allocation, const Region& region);

  // Overwrites `region` with the fresh pattern, as far as Options::fill says. It must not be in
  // use. Errors: out_of_memory, as touch().
  Result<> make_fresh(const Allocation& allocation, const Region& region);

  struct Usage {
    size_t free, total;
    size_t used;  // by this process
  };
  // Returns how much of a device's capacity is free. External memory does not count.
  Usage usage(unsigned device) const;
  // Has other processes share a device's memory, before any of it is used.
  void share(unsigned device, std::unique_ptr<processes::Ledger> ledger);
  // Notes what this process's contexts take of a device, which counts for those who share it.
  void set_context_memory(unsigned device, size_t bytes);
  // Returns how many bytes all devices together may use, as Budget::most() says.
  size_t machine_gives() const;

 private:
  bool look_at(DevicePtr address, void (*look)(void* own, const Allocation&), void* own) const;
  // Calls allocate() once more after frees that were pending, if there is not enough memory.
  template <typename Allocate>
  auto or_after_frees(Allocate allocate) -> decltype(allocate()) {
    auto result = allocate();
    if (result.ok() || result.error() != Error::out_of_memory || !wait_for_frees()) return result;
    return allocate();
  }
  explicit AddressSpace(std::unique_ptr<AddressSpaceBody> body);
  std::unique_ptr<AddressSpaceBody> body_;
};

}  // namespace cuvette::memory
