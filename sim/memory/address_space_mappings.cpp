// SPDX-License-Identifier: Apache-2.0
// The part of the address space for memory that exists before devices can reach it: external and
// other processes' memory, physical memory, registered host memory, and what graphics APIs lend.
#include <utility>

#include "sim/memory/address_space.hpp"
#include "sim/memory/address_space_body.hpp"
#include "sim/os/range_mark.hpp"

namespace cuvette::memory {

Result<Ref<Allocation>> AddressSpace::map_external(const SegmentBytes& bytes,
                                                   const Requester& requester) {
  return body_->map_living(AllocationKind::external, bytes, requester);
}

Result<Ref<Allocation>> AddressSpace::map_external_array(const SegmentBytes& bytes,
                                                         const Requester& requester) {
  Ref<Allocation> allocation = TRY(body_->map(AllocationKind::external_array, bytes, requester));
  body_->arrays.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::map_shared(const SegmentBytes& bytes,
                                                 const Requester& requester) {
  return body_->map_living(AllocationKind::shared, bytes, requester);
}

Result<int> AddressSpace::descriptor_of(const Allocation& allocation, DevicePtr address,
                                        size_t size) {
  const size_t page = os::page_size();
  if (!allocation.contains(address, size) || size == 0 || address % page != 0 || size % page != 0)
    return refuse(Error::invalid_value,
                  "The %zu bytes at 0x%llx are not whole pages of one allocation.", size,
                  static_cast<unsigned long long>(address));
  MutexLock lock(body_->files_mutex);
  DeviceMemory& device = *body_->devices[allocation.device];
  if (allocation.segment != device.segment() || allocation.in_segment.load())
    return refuse(
        Error::not_supported,
        "The memory at 0x%llx is in a file that other processes have or may have, so its pages "
        "cannot move to another file. Export it as cuMemCreate's memory, as a pool, "
        "or by cuIpcGetMemHandle.",
        static_cast<unsigned long long>(address));
  return device.descriptor_of(address, size);
}

Result<> AddressSpace::keep_in_segment(Allocation& allocation) {
  MutexLock lock(body_->files_mutex);
  const size_t page = os::page_size();
  const DevicePtr first = round_down(allocation.address, page);
  TRY(body_->devices[allocation.device]->attach(first, round_up(allocation.end(), page) - first));
  allocation.in_segment.store(true);
  // As long as it lives, for the processes that open it.
  os::set_range_mark(allocation.segment->fd(), allocation.offset, allocation.size);
  return {};
}

VirtualMemory& AddressSpace::virtual_memory() const { return body_->virtual_memory; }

Result<Ref<PhysicalMemory>> AddressSpace::create_physical(const PhysicalProperties& properties,
                                                          size_t size, WriteFirstPage first_page) {
  const auto filled = [&](Ref<PhysicalMemory> physical) -> Result<Ref<PhysicalMemory>> {
    TRY(physical->fill(filled_parts(body_->fill, size), fresh_pattern));
    return physical;
  };
  if (properties.place.type != MemoryPlace::device)
    return filled(
        TRY(PhysicalMemory::create(properties, size, first_page, body_->budget, nullptr)));
  const auto ordinal = static_cast<size_t>(properties.place.id);
  if (ordinal >= body_->devices.size()) return Error::invalid_device;
  DeviceMemory* device = body_->devices[ordinal].get();
  TRY(or_after_frees([&] { return device->count(size); }));
  auto physical = PhysicalMemory::create(properties, size, first_page, body_->budget,
                                         [device, size] { device->discount(size); });
  if (!physical.ok()) {
    device->discount(size);
    return physical;
  }
  return filled(std::move(physical).value());
}

Result<> AddressSpace::map_physical(DevicePtr address, size_t size, Ref<PhysicalMemory> physical,
                                    const Requester& requester) {
  Ref<Allocation> mapping = body_->make(AllocationKind::mapping, address, size, requester);
  return body_->virtual_memory.map(address, size, std::move(physical), std::move(mapping));
}

Result<Ref<Allocation>> AddressSpace::register_host(DevicePtr address, size_t size, uint32_t flags,
                                                    const Requester& requester) {
  if (size == 0 || address + size < address) return Error::invalid_value;
  const DevicePtr end = address + size;
  const bool in_reservation =
      (address < body_->reservation.end() && end > body_->reservation.begin()) ||
      body_->virtual_memory.contains(address) || body_->virtual_memory.contains(end - 1) ||
      (body_->host_reserves.load(std::memory_order_acquire) != 0 &&
       body_->arrays.any(address, end));
  // The program cannot have memory of its own in the reservation or in a pool's reserve.
  if (in_reservation && !body_->living.any(address, end)) return Error::invalid_value;
  Ref<Allocation> allocation = body_->make(AllocationKind::registered, address, size, requester);
  allocation->flags = flags;
  const Ref<Allocation> lendable = body_->lendable.last_in(address, end);
  const bool lent = lendable && lendable->loan.load() == Allocation::Loan::lent;
  if (in_reservation || lent || !body_->living.insert(allocation)) {
    return refuse(Error::host_memory_already_registered,
                  "Some of the %zu bytes at 0x%llx are already known to the device.", size,
                  static_cast<unsigned long long>(address));
  }
  return allocation;
}

Ref<Allocation> AddressSpace::make_lendable(DevicePtr address, size_t size, Ref<Lender> lender,
                                            const Requester& requester) {
  Ref<Allocation> allocation = body_->make(AllocationKind::graphics, address, size, requester);
  allocation->lender = std::move(lender);
  return allocation;
}

Result<> AddressSpace::lend(const Ref<Allocation>& allocation) {
  using Loan = Allocation::Loan;
  Loan known = Loan::known;
  if (allocation->loan.compare_exchange_strong(known, Loan::lent)) [[likely]]
    return {};
  MutexLock lock(body_->lend_mutex);
  const DevicePtr begin = allocation->address, end = allocation->end();
  // Records that are known but not lent are stale: the lender's memory has moved.
  while (const Ref<Allocation> stale = body_->lendable.last_in(begin, end)) {
    known = Loan::known;
    if (!stale->loan.compare_exchange_strong(known, Loan::unknown)) break;
    body_->lendable.erase(*stale);
    body_->lendables.fetch_sub(1, std::memory_order_release);
  }
  if (body_->living.any(begin, end) || !body_->lendable.insert(allocation))
    return refuse(Error::invalid_value,
                  "Some of the %zu bytes at 0x%llx are already known to the device.",
                  allocation->size, static_cast<unsigned long long>(begin));
  body_->lendables.fetch_add(1, std::memory_order_release);
  allocation->loan.store(Loan::lent);
  return {};
}

void AddressSpace::forget(const Ref<Allocation>& allocation) {
  MutexLock lock(body_->lend_mutex);
  if (!body_->lendable.erase(*allocation)) return;
  body_->lendables.fetch_sub(1, std::memory_order_release);
  body_->freed.add(allocation);
}

}  // namespace cuvette::memory
