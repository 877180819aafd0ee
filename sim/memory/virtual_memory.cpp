// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/virtual_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/base/sanitizer.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::memory {
namespace {

// Programs reserve several times what a device has. ThreadSanitizer leaves little room.
constexpr size_t many_addresses = size_t{16} << 40, few_addresses = size_t{64} << 30;
constexpr size_t fewest_addresses = size_t{64} << 20;
// The highest address that a program may ask for.
constexpr DevicePtr largest_wish = DevicePtr{1} << 47;

unsigned long long number(DevicePtr address) { return address; }

DeviceRights changed(DeviceRights rights, const std::map<unsigned, Access>& changes) {
  for (const auto& [device, access] : changes) rights.set(device, access);
  return rights;
}

Error refuse_range(DevicePtr address, size_t size) {
  return refuse(Error::invalid_value,
                "The %zu bytes at 0x%llx are not a sequence of whole mappings of cuMemMap.", size,
                number(address));
}

}  // namespace

Ref<Allocation> record_of(const Allocation& allocation) {
  Ref<Allocation> record = make_ref<Allocation>();
  record->address = allocation.address;
  record->size = allocation.size;
  record->kind = allocation.kind;
  record->device = allocation.device;
  record->flags = allocation.flags;
  record->owner = allocation.owner;
  record->buffer_id = allocation.buffer_id;
  record->call_site = allocation.call_site;
  record->offset = allocation.offset;
  record->freed_at = allocation.freed_at.load();
  record->ended_with_context = allocation.ended_with_context.load();
  return record;
}

VirtualMemory::~VirtualMemory() {
  const os::Reservation* reservation = made_.load(std::memory_order_relaxed);
  if (reservation) os::unwatch_range(reservation->begin(), reservation->end());
}

Result<> VirtualMemory::make_reservation() {
  if (reservation_) return {};
  const size_t wanted = __tsan_acquire ? few_addresses : many_addresses;
  reservation_ =
      std::make_unique<os::Reservation>(TRY(os::Reservation::reserve(wanted, fewest_addresses)));
  addresses_.emplace(reservation_->begin(), reservation_->size());
  os::watch_range(reservation_->begin(), reservation_->end());
  made_.store(reservation_.get(), std::memory_order_release);
  return {};
}

Result<DevicePtr> VirtualMemory::reserve(size_t size, size_t alignment, DevicePtr wish) {
  if (size == 0 || size % granularity != 0)
    return refuse(Error::invalid_value,
                  "The size of %zu bytes of addresses is not a multiple of %zu.", size,
                  granularity);
  if (alignment != 0 && !std::has_single_bit(alignment))
    return refuse(Error::invalid_value, "The alignment %zu is not a power of two.", alignment);
  alignment = std::max(alignment, granularity);
  // Measured.
  if (wish % alignment != 0)
    return refuse(Error::invalid_value,
                  "The address 0x%llx is not a multiple of the alignment %zu.", number(wish),
                  alignment);
  if (wish > largest_wish || size > largest_wish - wish)
    return refuse(Error::out_of_memory, "The address 0x%llx is beyond the address space.",
                  number(wish));
  MutexLock lock(mutex_);
  TRY(make_reservation());
  if (size > reservation_->size() || alignment > reservation_->size())
    return refuse(Error::out_of_memory,
                  "%zu bytes of addresses, aligned to %zu, are more than there are (%zu).", size,
                  alignment, reservation_->size());
  DevicePtr at = wish;
  if (!addresses_->take_at(wish, size)) {
    const auto taken = addresses_->take(size, alignment);
    if (!taken)
      return refuse(Error::out_of_memory, "There are not %zu bytes of addresses left in one piece.",
                    size);
    at = taken->at;
  }
  Range& range = ranges_[at];
  range.record = make_ref<Allocation>();
  range.record->address = at;
  range.record->size = size;
  range.record->kind = AllocationKind::mapping;
  return at;
}

Result<> VirtualMemory::give_back(DevicePtr address, size_t size) {
  MutexLock lock(mutex_);
  const auto found = ranges_.find(address);
  if (found == ranges_.end() || found->second.record->size != size)
    return refuse(Error::invalid_value,
                  "The %zu bytes at 0x%llx are not one range from cuMemAddressReserve.", size,
                  number(address));
  if (!found->second.mappings.empty())
    return refuse(Error::invalid_value,
                  "The %zu bytes at 0x%llx still have memory mapped: call cuMemUnmap first.", size,
                  number(address));
  ranges_.erase(found);
  addresses_->give(address, size);
  return {};
}

// Returns the range that all of [address, address + size) lies in, or null.
VirtualMemory::Range* VirtualMemory::range_of(DevicePtr address, size_t size) {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return nullptr;
  Range& range = std::prev(after)->second;
  return range.record->contains(address, size) ? &range : nullptr;
}

Result<VirtualMemory::Mappings> VirtualMemory::whole_mappings(DevicePtr address, size_t size) {
  Range* range = size == 0 ? nullptr : range_of(address, size);
  if (!range) return refuse_range(address, size);
  Mappings mappings;
  DevicePtr at = address;
  for (auto found = range->mappings.find(address);
       found != range->mappings.end() && found->first == at && at < address + size; ++found) {
    at = found->second->end();
    mappings.push_back(found->second);
  }
  if (at != address + size) return refuse_range(address, size);
  return mappings;
}

// Returns whether all of [address, address + size) is reserved and none of it is mapped.
bool VirtualMemory::nothing_mapped(DevicePtr address, size_t size) {
  const Range* const range = size == 0 ? nullptr : range_of(address, size);
  if (!range) return false;
  const auto after = range->mappings.lower_bound(address + size);
  return after == range->mappings.begin() || std::prev(after)->second->end() <= address;
}

Result<> VirtualMemory::map(DevicePtr address, size_t size, Ref<PhysicalMemory> physical,
                            Ref<Allocation> mapping) {
  if (size == 0) return refuse(Error::invalid_value, "A mapping of 0 bytes has no address.");
  // Measured: a part is not an invalid value.
  if (size != physical->size() || address % granularity != 0)
    return refuse(Error::not_supported,
                  "%zu bytes at 0x%llx cannot be mapped: all %zu bytes of the memory must be "
                  "mapped, at a multiple of %zu.",
                  size, number(address), physical->size(), granularity);
  MutexLock lock(mutex_);
  Range* range = range_of(address, size);
  if (!range)
    return refuse(Error::invalid_value,
                  "The %zu bytes at 0x%llx are not inside a range from cuMemAddressReserve.", size,
                  number(address));
  mapping->address = address;
  mapping->size = size;
  mapping->kind = AllocationKind::mapping;
  mapping->flags = physical->properties().handle_types;
  mapping->on_host = physical->properties().place.type != MemoryPlace::device;
  mapping->segment = physical->segment();
  mapping->offset = physical->payload();
  mapping->physical = std::move(physical);
  mapping->reservation = range->record;
  mapping->access.store(Access::none, std::memory_order_relaxed);
  if (!living_.insert(mapping))
    return refuse(Error::invalid_value,
                  "Some of the %zu bytes at 0x%llx are already mapped: call cuMemUnmap first.",
                  size, number(address));
  range->mappings.emplace(address, std::move(mapping));
  return {};
}

Result<Ref<Allocation>> VirtualMemory::users_of(DevicePtr address, size_t size) {
  MutexLock lock(mutex_);
  if (nothing_mapped(address, size)) return range_of(address, size)->record;
  const Mappings mappings = TRY(whole_mappings(address, size));
  return mappings.front()->reservation;
}

Result<> VirtualMemory::unmap(DevicePtr address, size_t size) {
  Mappings ended;  // destroyed after the lock is released, with what only they kept alive
  MutexLock lock(mutex_);
  if (nothing_mapped(address, size)) return {};  // measured
  ended = TRY(whole_mappings(address, size));
  Range& range = *range_of(address, size);
  for (const Ref<Allocation>& gone : ended) {
    living_.erase(*gone);
    gone->ended.store(true, std::memory_order_seq_cst);
    range.mappings.erase(gone->address);
    freed_.add(record_of(*gone));
  }
  reservation_->unmap(address, size);
  return {};
}

Result<bool> VirtualMemory::narrows(DevicePtr address, size_t size, const Rights& rights) {
  MutexLock lock(mutex_);
  const Mappings mappings = TRY(whole_mappings(address, size));
  return std::any_of(mappings.begin(), mappings.end(), [&](const Ref<Allocation>& mapping) {
    const DeviceRights before = mapping->rights.load(std::memory_order_relaxed);
    return before.loses_in(changed(before, rights.devices));
  });
}

Result<> VirtualMemory::set_access(DevicePtr address, size_t size, const Rights& rights) {
  MutexLock lock(mutex_);
  for (const Ref<Allocation>& mapping : TRY(whole_mappings(address, size)))
    TRY(apply(*mapping, rights));
  return {};
}

Ref<Allocation> VirtualMemory::range_at(DevicePtr address) {
  if (!contains(address)) return nullptr;
  MutexLock lock(mutex_);
  const Range* const range = range_of(address, 1);
  return range ? range->record : nullptr;
}

Access VirtualMemory::right_of(unsigned device, DevicePtr address) {
  MutexLock lock(mutex_);
  Range* const range = range_of(address, 1);
  if (!range) return Access::none;
  const auto after = range->mappings.upper_bound(address);
  if (after == range->mappings.begin()) return Access::none;
  const Allocation& mapping = *std::prev(after)->second;
  return mapping.contains(address, 1) ? mapping.access_of(device) : Access::none;
}

Result<> VirtualMemory::apply(Allocation& mapping, const Rights& rights) {
  const DeviceRights devices =
      changed(mapping.rights.load(std::memory_order_relaxed), rights.devices);
  const Access host = rights.host.value_or(mapping.host_access.load(std::memory_order_relaxed));
  const Result<> done = map_pages(mapping, devices.strongest(), host);
  mapping.rights.store(done.ok() ? devices : DeviceRights{}, std::memory_order_release);
  return done;
}

Result<> VirtualMemory::map_pages(Allocation& mapping, Access device, Access host) {
  const auto old_device = mapping.access.load(std::memory_order_relaxed);
  const auto old_host = mapping.host_access.load(std::memory_order_relaxed);
  if (old_device == device && old_host == host) return {};
  Result<> done;
  if (device == Access::none && host == Access::none) {
    reservation_->unmap(mapping.address, mapping.size);
  } else {
    const bool write = device == Access::read_write || host == Access::read_write;
    done = reservation_->map(mapping.address, *mapping.segment, mapping.offset, mapping.size,
                             {.read = true, .write = write, .host = host != Access::none});
    if (!done.ok()) {
      reservation_->unmap(mapping.address, mapping.size);
      device = host = Access::none;
    }
  }
  mapping.access.store(device, std::memory_order_release);
  mapping.host_access.store(host, std::memory_order_release);
  return done;
}

}  // namespace cuvette::memory
