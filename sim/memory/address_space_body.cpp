// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/address_space_body.hpp"

#include <algorithm>
#include <utility>

#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/range_mark.hpp"

namespace cuvette::memory {

constinit std::atomic<uint64_t> AddressSpaceBody::next_buffer_id{1};

AddressSpaceBody::AddressSpaceBody(os::Reservation reserved, Fill fill)
    : reservation(std::move(reserved)), fill(fill), windows(0, 0) {
  os::watch_range(reservation.begin(), reservation.end());
}

AddressSpaceBody::~AddressSpaceBody() { os::unwatch_range(reservation.begin(), reservation.end()); }

Ref<Allocation> AddressSpaceBody::make(AllocationKind kind, DevicePtr address, size_t size,
                                       const Requester& requester) {
  auto allocation = make_ref<Allocation>();
  allocation->address = address;
  allocation->size = size;
  allocation->kind = kind;
  allocation->device = requester.device;
  allocation->owner = requester.owner;
  allocation->call_site = requester.call_site;
  allocation->buffer_id = next_buffer_id.fetch_add(1, std::memory_order_relaxed);
  return allocation;
}

Result<Ref<Allocation>> AddressSpaceBody::allocate(AllocationKind kind, size_t size,
                                                   const Requester& requester, size_t alignment) {
  if (size == 0) return Error::invalid_value;
  if (requester.device >= devices.size()) return Error::invalid_device;
  DeviceMemory& device = *devices[requester.device];
  const DevicePtr address = TRY(device.allocate(size, alignment));
  Ref<Allocation> allocation = make(kind, address, size, requester);
  allocation->segment = device.segment();
  allocation->offset = address - device.begin();
  return allocation;
}

void AddressSpaceBody::free_device_memory(const Allocation& allocation) {
  DeviceMemory& device = *devices[allocation.device];
  if (allocation.in_segment.load())
    os::clear_range_mark(allocation.segment->fd(), allocation.offset, allocation.size);
  // It has ended already, so from now on no other process gets it.
  if (allocation.in_segment.load() && device.keep_lent(allocation.address, allocation.size)) return;
  device.free(allocation.address, allocation.size);
}

Result<Ref<Allocation>> AddressSpaceBody::map_host(AllocationKind kind, size_t size,
                                                   const Requester& requester) {
  if (size == 0) return Error::invalid_value;
  if (size > most_addresses) return Error::out_of_memory;
  const size_t pages = round_up(size, os::page_size());
  TRY(budget.spend(pages));
  return make(kind, TRY(os::map_host_pages(pages)), size, requester);
}

Result<Ref<Allocation>> AddressSpaceBody::map(AllocationKind kind, const SegmentBytes& bytes,
                                              const Requester& requester) {
  const auto& [segment, offset, size, payload] = bytes;
  const uint64_t most = segment->size() - std::min(payload, segment->size());
  if (size == 0 || offset > most || size > most - offset) {
    return refuse(
        Error::invalid_value, "Bytes %llu to %llu are not inside a segment of %llu bytes.",
        static_cast<unsigned long long>(offset), static_cast<unsigned long long>(offset + size),
        static_cast<unsigned long long>(most));
  }
  const size_t page = os::page_size();
  const size_t skipped = offset % Windows::granularity;
  std::optional<DevicePtr> window;
  {
    MutexLock lock(windows_mutex);
    window = windows.take(skipped + size);
  }
  if (!window) {
    return refuse(Error::out_of_memory,
                  "There are not %zu bytes of addresses left for external memory.", size);
  }
  const DevicePtr address = *window + skipped;
  const DevicePtr first_page = round_down(address, page);
  const Result<> mapped = reservation.map(first_page, *segment, payload + round_down(offset, page),
                                          round_up(address + size, page) - first_page);
  if (!mapped.ok()) {
    MutexLock lock(windows_mutex);
    windows.give(*window, skipped + size);
    return mapped.error();
  }
  Ref<Allocation> allocation = make(kind, address, size, requester);
  allocation->segment = segment;
  allocation->offset = payload + offset;
  return allocation;
}

Result<Ref<Allocation>> AddressSpaceBody::map_living(AllocationKind kind, const SegmentBytes& bytes,
                                                     const Requester& requester) {
  Ref<Allocation> allocation = TRY(map(kind, bytes, requester));
  living.insert(allocation);
  return allocation;
}

void AddressSpaceBody::unmap(const Allocation& allocation) {
  const size_t page = os::page_size();
  const DevicePtr first_page = round_down(allocation.address, page);
  reservation.unmap(first_page, round_up(allocation.end(), page) - first_page);
  const DevicePtr window = round_down(allocation.address, Windows::granularity);
  MutexLock lock(windows_mutex);
  windows.give(window, allocation.end() - window);
}

void AddressSpaceBody::fill_part(const Allocation& part, uint32_t pattern) const {
  const size_t whole = round_up(part.size, DeviceMemory::granularity);
  const FilledParts parts = filled_parts(fill, whole);
  if (parts.head == 0) return;
  constexpr size_t word = sizeof pattern;
  const DevicePtr tail = part.address + whole - parts.tail;
  const os::DeviceAccess access;
  os::fill_elements(host_pointer(part.address), pattern, word, parts.head / word);
  os::fill_elements(host_pointer(tail), pattern, word, parts.tail / word);
}

}  // namespace cuvette::memory
