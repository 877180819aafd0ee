// SPDX-License-Identifier: Apache-2.0
// The part of the address space for memory pools, and for memory that is freed in a stream's order.
#include <algorithm>
#include <utility>

#include "sim/memory/address_space.hpp"
#include "sim/memory/address_space_body.hpp"
#include "sim/memory/recorded.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/range_mark.hpp"

namespace cuvette::memory {

Result<Ref<Allocation>> AddressSpace::reserve(size_t size, const Requester& requester) {
  Ref<Allocation> allocation = TRY(body_->allocate(AllocationKind::reserve, size, requester));
  body_->arrays.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::reserve(const Ref<os::Segment>& segment, uint64_t offset,
                                              size_t size, const Requester& requester) {
  if (requester.device >= body_->devices.size()) return Error::invalid_device;
  DeviceMemory& device = *body_->devices[requester.device];
  TRY(body_->budget.spend(size));
  TRY(device.count(size));
  auto allocation = body_->map(AllocationKind::reserve, {segment, offset, size}, requester);
  if (!allocation.ok()) {
    device.discount(size);
    return allocation.error();
  }
  body_->arrays.insert(allocation.value());
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::reserve_host(PoolMemory memory, size_t size,
                                                   const Requester& requester) {
  if (requester.device >= body_->devices.size()) return Error::invalid_device;
  Ref<Allocation> allocation = TRY(body_->map_host(AllocationKind::reserve, size, requester));
  allocation->pool_memory = memory;
  const DevicePtr address = allocation->address;
  if (!body_->arrays.insert(allocation)) {
    os::unmap_host_pages(address, round_up(size, os::page_size()));
    return refuse(Error::operating_system,
                  "The program has unmapped memory at 0x%llx that belongs to a memory pool.",
                  static_cast<unsigned long long>(address));
  }
  body_->host_reserves.fetch_add(1, std::memory_order_release);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::cut(const Allocation& reserve, DevicePtr address, size_t size,
                                          uint64_t pool, const Requester& requester) {
  const size_t whole = round_up(size, DeviceMemory::granularity);
  const FilledParts parts = filled_parts(body_->fill, whole);
  DeviceMemory& device = *body_->devices[reserve.device];
  if (reserve.segment == device.segment()) {
    TRY(device.touch(address, parts.head));
    TRY(device.touch(address + whole - parts.tail, parts.tail));
  }
  Ref<Allocation> allocation = body_->make(AllocationKind::pool, address, size, requester);
  allocation->segment = reserve.segment;
  allocation->offset = reserve.offset + (address - reserve.address);
  allocation->pool = pool;
  allocation->pool_memory = reserve.pool_memory;
  if (reserve.pool_memory == PoolMemory::host)
    allocation->access.store(Access::none, std::memory_order_relaxed);
  if (body_->living.insert(allocation)) return allocation;
  return refuse(Error::operating_system,
                "Some of the %zu bytes at 0x%llx, which belong to a memory pool, are registered.",
                size, static_cast<unsigned long long>(address));
}

Result<Ref<Allocation>> AddressSpace::map_pooled(const Ref<os::Segment>& segment, uint64_t offset,
                                                 size_t size, uint64_t pool,
                                                 const Requester& requester) {
  Ref<Allocation> allocation =
      TRY(body_->map(AllocationKind::imported, {segment, offset, size}, requester));
  allocation->pool = pool;
  body_->living.insert(allocation);
  return allocation;
}

Result<> AddressSpace::hide(const Ref<Allocation>& allocation) {
  if (!body_->living.hide(*allocation)) return Error::invalid_value;
  allocation->ended.store(true, std::memory_order_seq_cst);
  body_->begun_frees.fetch_add(1);
  {
    MutexLock lock(body_->hidden_mutex);
    body_->hidden.push_back(allocation);
  }
  body_->freed.add(allocation);
  return {};
}

Ref<Allocation> AddressSpace::find_in_use(DevicePtr address) const {
  if (Ref<Allocation> found = find(address)) [[likely]]
    return found;
  MutexLock lock(body_->hidden_mutex);
  for (const Ref<Allocation>& one : body_->hidden)
    if (one->contains(address, 1)) return one;
  return nullptr;
}

Ref<Allocation> AddressSpace::find_touched(DevicePtr address) const {
  if (Ref<Allocation> found = find_in_use(address)) return found;
  Ref<Allocation> array = body_->arrays.find(address);
  return array && array->kind != AllocationKind::reserve ? array : nullptr;
}

Ref<Allocation> AddressSpace::find_recorded(DevicePtr address) const {
  {
    MutexLock lock(body_->hidden_mutex);
    for (const Ref<Allocation>& one : body_->hidden)
      if (one->recorded.load(std::memory_order_acquire) && one->contains(address, 1)) return one;
  }
  return find_touched(address);
}

Ref<Allocation> AddressSpace::find_reserve(DevicePtr address) const {
  Ref<Allocation> found = body_->arrays.find(address);
  return found && found->kind == AllocationKind::reserve ? found : nullptr;
}

void AddressSpace::end(const Allocation& hidden) {
  record_gone(hidden);
  Ref<Allocation> found;  // released after the lock
  {
    MutexLock lock(body_->hidden_mutex);
    auto& all = body_->hidden;
    const auto at = std::ranges::find(all, &hidden, &Ref<Allocation>::get);
    if (at != all.end()) {
      found = std::move(*at);
      all.erase(at);
    }
  }
  struct Count {  // when the memory is free
    AddressSpaceBody& body;
    ~Count() { body.ended_frees.fetch_add(1); }
  } const count{*body_};
  switch (hidden.kind) {
    case AllocationKind::device:
      body_->free_device_memory(hidden);
      return;
    case AllocationKind::imported:
      body_->unmap(hidden);
      return;
    case AllocationKind::pool:
      if (hidden.in_segment.load())
        os::clear_range_mark(hidden.segment->fd(), hidden.offset, hidden.size);
      body_->fill_part(hidden, freed_pattern);
      return;
    default:
      return;
  }
}

void AddressSpace::fill_fresh(const Allocation& part) const {
  body_->fill_part(part, fresh_pattern);
}

void AddressSpace::fill_fresh(DevicePtr address, size_t size) const {
  const FilledParts parts = filled_parts(body_->fill, size);
  const os::DeviceAccess access;
  // The range may begin and end anywhere; words of the pattern that would be cut off are left out.
  const auto fill = [&](DevicePtr begin, DevicePtr end) {
    constexpr size_t word = sizeof fresh_pattern;
    begin = round_up(begin, word);
    if (begin < end)
      os::fill_elements(host_pointer(begin), fresh_pattern, word, (end - begin) / word);
  };
  fill(address, address + parts.head);
  fill(address + size - parts.tail, address + size);
}

void AddressSpace::discard(const Allocation& allocation) {
  if (allocation.kind == AllocationKind::managed)
    return os::discard_host_pages(allocation.address, round_up(allocation.size, os::page_size()));
  body_->devices[allocation.device]->discard(allocation.address, allocation.size);
}

}  // namespace cuvette::memory
