// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/address_space.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

#include "sim/memory/budget.hpp"
#include "sim/memory/device_memory.hpp"
#include "sim/memory/freed_ring.hpp"
#include "sim/memory/range_index.hpp"
#include "sim/memory/windows.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/process.hpp"
#include "sim/os/reservation.hpp"

namespace cuvette::memory {
namespace {

// ThreadSanitizer leaves a program little more than this in one piece.
constexpr size_t most_addresses = size_t{1} << 40;
constexpr size_t least_addresses = size_t{64} << 20;

size_t round_down(size_t value, size_t unit) { return value / unit * unit; }
size_t round_up(size_t value, size_t unit) { return round_down(value + unit - 1, unit); }

// `capacities` as they fit into `addresses`, a quarter of which is kept for external memory. Those
// that are larger than their share are cut.
std::vector<size_t> fitted(const std::vector<size_t>& capacities, size_t addresses) {
  size_t left = addresses / 4 * 3;
  std::vector<size_t> order(capacities.size()), fitted(capacities.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return capacities[a] < capacities[b]; });
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t share = left / (order.size() - i);
    const size_t wanted = std::min(capacities[order[i]], share);
    const size_t chunks = wanted == share ? round_down(wanted, Touched::chunk_size)
                                          : round_up(wanted, Touched::chunk_size);
    fitted[order[i]] = std::min(std::max(chunks, Touched::chunk_size), left);
    left -= fitted[order[i]];
  }
  return fitted;
}

}  // namespace

struct AddressSpace::Body {
  Body(os::Reservation reserved, Fill fill)
      : reservation(std::move(reserved)), fill(fill), windows(0, 0) {
    os::watch_range(reservation.begin(), reservation.end());
  }
  ~Body() { os::unwatch_range(reservation.begin(), reservation.end()); }

  // Of a device's memory; the caller puts it into an index.
  Result<Ref<Allocation>> allocate(AllocationKind kind, size_t size, const Asker& asker) {
    if (size == 0) return Error::invalid_value;
    if (asker.device >= devices.size()) return Error::invalid_device;
    DeviceMemory& device = *devices[asker.device];
    const DevicePtr address = TRY(device.allocate(size));
    Ref<Allocation> allocation = make(kind, address, size, asker);
    allocation->segment = device.segment();
    allocation->offset = address - device.begin();
    return allocation;
  }

  // Of a part of a pool, as far as `fill` says.
  void fill_part(const Allocation& part, uint32_t pattern) const {
    const size_t whole = round_up(part.size, DeviceMemory::granularity);
    const FilledParts parts = filled_parts(fill, whole);
    if (parts.head == 0) return;
    constexpr size_t word = sizeof pattern;
    const DevicePtr tail = part.address + whole - parts.tail;
    const os::DeviceAccess access;
    os::fill_elements(host_pointer(part.address), pattern, word, parts.head / word);
    os::fill_elements(host_pointer(tail), pattern, word, parts.tail / word);
  }

  // Host memory that devices reach; the caller puts it into an index.
  Result<Ref<Allocation>> map_host(AllocationKind kind, size_t size, const Asker& asker) {
    if (size == 0) return Error::invalid_value;
    if (size > most_addresses) return Error::out_of_memory;
    const size_t pages = round_up(size, os::page_size());
    TRY(budget.spend(pages));
    return make(kind, TRY(os::map_host_pages(pages)), size, asker);
  }

  // Bytes of a segment in a window of their own.
  Result<Ref<Allocation>> map(AllocationKind kind, const Ref<os::Segment>& segment, uint64_t offset,
                              size_t size, const Asker& asker);
  void unmap(const Allocation& allocation);

  Ref<Allocation> make(AllocationKind kind, DevicePtr address, size_t size, const Asker& asker) {
    auto allocation = make_ref<Allocation>();
    allocation->address = address;
    allocation->size = size;
    allocation->kind = kind;
    allocation->device = asker.device;
    allocation->owner = asker.owner;
    allocation->call_site = asker.call_site;
    allocation->buffer_id = next_buffer_id.fetch_add(1, std::memory_order_relaxed);
    return allocation;
  }

  os::Reservation reservation;
  const Fill fill;
  Budget budget;
  std::vector<std::unique_ptr<DeviceMemory>> devices;
  std::vector<size_t> totals;  // of each device, as asked for: its window is whole chunks
  RangeIndex living;
  RangeIndex arrays;  // as living
  FreedRing freed;
  FreedRing freed_host;  // pinned and managed memory, whose addresses the program may get again
  VirtualMemory virtual_memory{living, freed};
  // Graphics memory that was lent once, lent or not: a range of its own, since the lender may have
  // given what is not lent to anybody.
  RangeIndex lendable;
  std::atomic<size_t> lendables{0};
  std::mutex lend_mutex;     // held by who changes lendable
  std::mutex windows_mutex;  // guards windows
  Windows windows;
  static std::atomic<uint64_t> next_buffer_id;  // also across the address spaces of one process
};

constinit std::atomic<uint64_t> AddressSpace::Body::next_buffer_id{1};

Result<std::unique_ptr<AddressSpace>> AddressSpace::create(const Options& options) {
  os::find_bytes_routines();
  os::set_up_device_key();
  auto body = std::make_unique<Body>(TRY(os::Reservation::reserve(most_addresses, least_addresses)),
                                     options.fill);

  const std::vector<size_t> capacities = fitted(options.capacities, body->reservation.size());
  DevicePtr at = body->reservation.begin();
  for (size_t ordinal = 0; ordinal < capacities.size(); ++ordinal) {
    const size_t wanted = options.capacities[ordinal];
    size_t capacity = capacities[ordinal];
    Result<std::unique_ptr<DeviceMemory>> device = Error::out_of_memory;
    // A limit of the size of files (`ulimit -f`) may refuse what the addresses would allow.
    for (; capacity >= Touched::chunk_size;
         capacity = round_down(capacity / 2, Touched::chunk_size)) {
      device = DeviceMemory::create(body->reservation, at, capacity, options.fill, body->budget);
      if (device.ok() || device.error() != Error::out_of_memory) break;
    }
    body->devices.push_back(TRY(std::move(device)));
    body->totals.push_back(std::min(capacity, wanted));
    if (capacity < wanted) {
      fprintf(stderr,
              "cuvette: device %zu has %zu MiB of memory instead of %zu MiB: more does not fit "
              "into the "
              "address space (at most 1 TiB for all devices; `ulimit -v` and `ulimit -f` may set "
              "less).\n",
              ordinal, capacity >> 20, wanted >> 20);
    }
    at += capacity;
  }
  body->windows = Windows(at, body->reservation.end() - at);
  return std::unique_ptr<AddressSpace>(new AddressSpace(std::move(body)));
}

AddressSpace::AddressSpace(std::unique_ptr<Body> body) : body_(std::move(body)) {}
AddressSpace::~AddressSpace() = default;

Result<Ref<Allocation>> AddressSpace::allocate(size_t size, const Asker& asker) {
  Ref<Allocation> allocation = TRY(body_->allocate(AllocationKind::device, size, asker));
  body_->living.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::allocate_array(size_t size, const Asker& asker) {
  Ref<Allocation> allocation = TRY(body_->allocate(AllocationKind::array, size, asker));
  body_->arrays.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::allocate_variable(std::string_view name, size_t size,
                                                        bool managed, const Asker& asker) {
  Ref<Allocation> allocation;
  if (managed) {
    allocation = TRY(body_->map_host(AllocationKind::managed, size, asker));
    constexpr uint32_t attach_global = 1;
    allocation->flags = attach_global;
  } else {
    allocation = TRY(body_->allocate(AllocationKind::variable, size, asker));
    // Zeros are written over what fresh memory holds: all of it is accounted for.
    const Result<> touched = touch(*allocation, Region::linear(allocation->address, size));
    if (!touched.ok()) {
      body_->devices[allocation->device]->free(allocation->address, allocation->size);
      return touched.error();
    }
    const os::DeviceAccess access;
    os::fill_elements(host_pointer(allocation->address), 0, 1, size);
  }
  allocation->name = name;
  if (body_->living.insert(allocation)) return allocation;
  os::unmap_host_pages(allocation->address, round_up(size, os::page_size()));
  return Error::operating_system;
}

Result<Ref<Allocation>> AddressSpace::map_external(const Ref<os::Segment>& segment, uint64_t offset,
                                                   size_t size, const Asker& asker) {
  Ref<Allocation> allocation =
      TRY(body_->map(AllocationKind::external, segment, offset, size, asker));
  body_->living.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::map_shared(const Ref<os::Segment>& segment, uint64_t offset,
                                                 size_t size, const Asker& asker) {
  Ref<Allocation> allocation =
      TRY(body_->map(AllocationKind::shared, segment, offset, size, asker));
  body_->living.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::Body::map(AllocationKind kind,
                                                const Ref<os::Segment>& segment, uint64_t offset,
                                                size_t size, const Asker& asker) {
  if (size == 0 || offset > segment->size() || size > segment->size() - offset) {
    return refuse(Error::invalid_value, "Bytes %llu to %llu are not inside a segment of %zu.",
                  static_cast<unsigned long long>(offset),
                  static_cast<unsigned long long>(offset + size), segment->size());
  }
  const size_t page = os::page_size();
  const size_t skipped = offset % Windows::granularity;
  std::optional<DevicePtr> window;
  {
    const std::lock_guard lock(windows_mutex);
    window = windows.take(skipped + size);
  }
  if (!window) {
    return refuse(Error::out_of_memory, "No %zu bytes of addresses are left for external memory.",
                  size);
  }
  const DevicePtr address = *window + skipped;
  const DevicePtr first_page = round_down(address, page);
  const Result<> mapped = reservation.map(first_page, *segment, round_down(offset, page),
                                          round_up(address + size, page) - first_page);
  if (!mapped.ok()) {
    const std::lock_guard lock(windows_mutex);
    windows.give(*window, skipped + size);
    return mapped.error();
  }
  Ref<Allocation> allocation = make(kind, address, size, asker);
  allocation->segment = segment;
  allocation->offset = offset;
  return allocation;
}

void AddressSpace::Body::unmap(const Allocation& allocation) {
  const size_t page = os::page_size();
  const DevicePtr first_page = round_down(allocation.address, page);
  reservation.unmap(first_page, round_up(allocation.end(), page) - first_page);
  const DevicePtr window = round_down(allocation.address, Windows::granularity);
  const std::lock_guard lock(windows_mutex);
  windows.give(window, allocation.end() - window);
}

Result<Ref<Allocation>> AddressSpace::reserve(size_t size, const Asker& asker) {
  Ref<Allocation> allocation = TRY(body_->allocate(AllocationKind::reserve, size, asker));
  body_->arrays.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::reserve(const Ref<os::Segment>& segment, uint64_t offset,
                                              size_t size, const Asker& asker) {
  if (asker.device >= body_->devices.size()) return Error::invalid_device;
  DeviceMemory& device = *body_->devices[asker.device];
  TRY(body_->budget.spend(size));
  TRY(device.count(size));
  auto allocation = body_->map(AllocationKind::reserve, segment, offset, size, asker);
  if (!allocation.ok()) {
    device.discount(size);
    return allocation.error();
  }
  body_->arrays.insert(allocation.value());
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::cut(const Allocation& reserve, DevicePtr address, size_t size,
                                          uint64_t pool, const Asker& asker) {
  const size_t whole = round_up(size, DeviceMemory::granularity);
  const FilledParts parts = filled_parts(body_->fill, whole);
  DeviceMemory& device = *body_->devices[reserve.device];
  if (reserve.segment == device.segment()) {
    TRY(device.touch(address, parts.head));
    TRY(device.touch(address + whole - parts.tail, parts.tail));
  }
  Ref<Allocation> allocation = body_->make(AllocationKind::pool, address, size, asker);
  allocation->segment = reserve.segment;
  allocation->offset = reserve.offset + (address - reserve.address);
  allocation->pool = pool;
  body_->living.insert(allocation);
  return allocation;
}

VirtualMemory& AddressSpace::virtual_memory() const { return body_->virtual_memory; }

Result<Ref<PhysicalMemory>> AddressSpace::create_physical(const PhysicalProperties& properties,
                                                          size_t size) {
  const auto filled = [&](Ref<PhysicalMemory> physical) -> Result<Ref<PhysicalMemory>> {
    TRY(physical->fill(filled_parts(body_->fill, size), fresh_pattern));
    return physical;
  };
  if (properties.location_type != 1)
    return filled(TRY(PhysicalMemory::create(properties, size, body_->budget, nullptr)));
  const auto ordinal = static_cast<size_t>(properties.location_id);
  if (ordinal >= body_->devices.size()) return Error::invalid_device;
  DeviceMemory* device = body_->devices[ordinal].get();
  TRY(device->count(size));
  auto physical = PhysicalMemory::create(properties, size, body_->budget,
                                         [device, size] { device->discount(size); });
  if (!physical.ok()) {
    device->discount(size);
    return physical;
  }
  return filled(std::move(physical).value());
}

Result<> AddressSpace::map_physical(DevicePtr address, size_t size, Ref<PhysicalMemory> physical,
                                    const Asker& asker) {
  Ref<Allocation> mapping = body_->make(AllocationKind::mapping, address, size, asker);
  return body_->virtual_memory.map(address, size, std::move(physical), std::move(mapping));
}

Result<Ref<Allocation>> AddressSpace::map_pooled(const Ref<os::Segment>& segment, uint64_t offset,
                                                 size_t size, uint64_t pool, const Asker& asker) {
  Ref<Allocation> allocation =
      TRY(body_->map(AllocationKind::imported, segment, offset, size, asker));
  allocation->pool = pool;
  body_->living.insert(allocation);
  return allocation;
}

Result<> AddressSpace::hide(const Ref<Allocation>& allocation) {
  if (!body_->living.erase(*allocation)) return Error::invalid_value;
  allocation->ended.store(true, std::memory_order_seq_cst);
  body_->freed.add(allocation);
  return {};
}

void AddressSpace::end(const Allocation& hidden) {
  switch (hidden.kind) {
    case AllocationKind::device:
      body_->devices[hidden.device]->free(hidden.address, hidden.size);
      return;
    case AllocationKind::imported:
      body_->unmap(hidden);
      return;
    case AllocationKind::pool:
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
  // The range may begin and end anywhere; a pattern that is cut off is no pattern.
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
  body_->devices[allocation.device]->discard(allocation.address, allocation.size);
}

Ref<Allocation> AddressSpace::lendable(DevicePtr address, size_t size, Ref<Lender> lender,
                                       const Asker& asker) {
  Ref<Allocation> allocation = body_->make(AllocationKind::graphics, address, size, asker);
  allocation->lender = std::move(lender);
  return allocation;
}

Result<> AddressSpace::lend(const Ref<Allocation>& allocation) {
  using Loan = Allocation::Loan;
  Loan known = Loan::known;
  if (allocation->loan.compare_exchange_strong(known, Loan::lent)) [[likely]]
    return {};
  const std::lock_guard lock(body_->lend_mutex);
  const DevicePtr begin = allocation->address, end = allocation->end();
  // What is known and not lent has moved away since.
  while (const Ref<Allocation> stale = body_->lendable.last_in(begin, end)) {
    known = Loan::known;
    if (!stale->loan.compare_exchange_strong(known, Loan::unknown)) break;
    body_->lendable.erase(*stale);
    body_->lendables.fetch_sub(1, std::memory_order_release);
  }
  if (body_->living.any(begin, end) || !body_->lendable.insert(allocation))
    return refuse(Error::invalid_value,
                  "Some of the %zu bytes at 0x%llx are known to the device already.",
                  allocation->size, static_cast<unsigned long long>(begin));
  body_->lendables.fetch_add(1, std::memory_order_release);
  allocation->loan.store(Loan::lent);
  return {};
}

void AddressSpace::forget(const Ref<Allocation>& allocation) {
  const std::lock_guard lock(body_->lend_mutex);
  if (!body_->lendable.erase(*allocation)) return;
  body_->lendables.fetch_sub(1, std::memory_order_release);
  body_->freed.add(allocation);
}

Result<Ref<Allocation>> AddressSpace::allocate_host(AllocationKind kind, size_t size,
                                                    uint32_t flags, const Asker& asker) {
  if (kind != AllocationKind::pinned && kind != AllocationKind::managed)
    return Error::invalid_value;
  Ref<Allocation> allocation = TRY(body_->map_host(kind, size, asker));
  const DevicePtr address = allocation->address;
  allocation->flags = flags;
  if (!body_->living.insert(allocation)) {
    os::unmap_host_pages(address, round_up(size, os::page_size()));
    return refuse(Error::operating_system,
                  "The program has unmapped memory at 0x%llx that is still registered.",
                  static_cast<unsigned long long>(address));
  }
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::register_host(DevicePtr address, size_t size, uint32_t flags,
                                                    const Asker& asker) {
  if (size == 0 || address + size < address) return Error::invalid_value;
  const DevicePtr end = address + size;
  const bool in_reservation =
      (address < body_->reservation.end() && end > body_->reservation.begin()) ||
      body_->virtual_memory.contains(address) || body_->virtual_memory.contains(end - 1);
  // Nothing of the program's own can be in the reservation.
  if (in_reservation && !body_->living.any(address, end)) return Error::invalid_value;
  Ref<Allocation> allocation = body_->make(AllocationKind::registered, address, size, asker);
  allocation->flags = flags;
  const Ref<Allocation> lendable = body_->lendable.last_in(address, end);
  const bool lent = lendable && lendable->loan.load() == Allocation::Loan::lent;
  if (in_reservation || lent || !body_->living.insert(allocation)) {
    return refuse(Error::host_memory_already_registered,
                  "Some of the %zu bytes at 0x%llx are known to the device already.", size,
                  static_cast<unsigned long long>(address));
  }
  return allocation;
}

Result<> AddressSpace::free(const Ref<Allocation>& allocation) {
  if (allocation->kind == AllocationKind::mapping)
    return body_->virtual_memory.unmap(allocation->address, allocation->size);
  if (allocation->kind == AllocationKind::graphics) {
    auto lent = Allocation::Loan::lent;
    if (allocation->loan.compare_exchange_strong(lent, Allocation::Loan::known)) return {};
    return Error::invalid_value;
  }
  // Two threads may free the same; one of them comes first.
  const bool unfound =
      allocation->kind == AllocationKind::array || allocation->kind == AllocationKind::reserve;
  RangeIndex& index = unfound ? body_->arrays : body_->living;
  if (!index.erase(*allocation)) return Error::invalid_value;
  allocation->ended.store(true, std::memory_order_seq_cst);
  switch (allocation->kind) {
    case AllocationKind::device:
    case AllocationKind::variable:
      body_->freed.add(allocation);
      [[fallthrough]];
    case AllocationKind::array:
      body_->devices[allocation->device]->free(allocation->address, allocation->size);
      break;
    case AllocationKind::external:
    case AllocationKind::shared:
      // What is remembered does not keep the exporter's memory alive.
      body_->freed.add(record_of(*allocation));
      body_->unmap(*allocation);
      break;
    case AllocationKind::mapping:  // went before
      break;
    case AllocationKind::reserve: {
      DeviceMemory& device = *body_->devices[allocation->device];
      if (allocation->segment == device.segment()) {
        device.free(allocation->address, allocation->size);
        break;
      }
      allocation->segment->discard(allocation->offset, allocation->size);
      body_->unmap(*allocation);
      device.discount(allocation->size);
      break;
    }
    case AllocationKind::imported:
      body_->freed.add(allocation);
      body_->unmap(*allocation);
      break;
    case AllocationKind::pool:  // its pool decides what becomes of it
      break;
    case AllocationKind::graphics:  // is not in the index of the living
      break;
    case AllocationKind::pinned:
    case AllocationKind::managed:
      body_->freed_host.add(record_of(*allocation));
      os::unmap_host_pages(allocation->address, round_up(allocation->size, os::page_size()));
      break;
    case AllocationKind::registered:
      break;
  }
  return {};
}

void AddressSpace::free_all_of(uint64_t owner) {
  for (const Ref<Allocation>& allocation : all()) {
    if (allocation->owner == owner) static_cast<void>(free(allocation));
  }
}

Ref<Allocation> AddressSpace::find(DevicePtr address) const {
  Ref<Allocation> found = body_->living.find(address);
  if (found || body_->lendables.load(std::memory_order_acquire) == 0) [[likely]]
    return found;
  found = body_->lendable.find(address);
  return found && found->loan.load() == Allocation::Loan::lent ? found : nullptr;
}

Ref<Allocation> AddressSpace::find_freed(DevicePtr address) const {
  if (Ref<Allocation> freed = body_->freed.find(address)) return freed;
  return body_->lendable.find(address);
}

bool AddressSpace::freed_and_gone(DevicePtr address, size_t size, bool write) const {
  return body_->freed_host.find(address) && !os::accessible(address, size, write);
}

AddressSpace::Window AddressSpace::window(unsigned device) const {
  const DeviceMemory& memory = *body_->devices[device];
  return {memory.begin(), memory.capacity()};
}

Fill AddressSpace::fill() const { return body_->fill; }

bool AddressSpace::reserved(DevicePtr address) const {
  return body_->reservation.contains(address) || body_->virtual_memory.contains(address);
}

void AddressSpace::keep_from_children() const {
  body_->reservation.keep_from_children();
  body_->virtual_memory.keep_from_children();
}

std::vector<Ref<Allocation>> AddressSpace::all() const {
  std::vector<Ref<Allocation>> all = body_->living.all();
  for (Ref<Allocation>& one : body_->lendable.all())
    if (one->loan.load() == Allocation::Loan::lent) all.push_back(std::move(one));
  for (Ref<Allocation>& array : body_->arrays.all()) all.push_back(std::move(array));
  return all;
}

Result<> AddressSpace::touch(const Allocation& allocation, const Region& region) {
  if (region.empty()) return {};
  if (allocation.physical) {
    const DevicePtr begin = std::max(region.address, allocation.address);
    const DevicePtr end = std::min(region.address + region.extent(), allocation.end());
    return allocation.physical->touch(begin - allocation.address, end - begin);
  }
  if (allocation.kind != AllocationKind::device && allocation.kind != AllocationKind::array &&
      allocation.kind != AllocationKind::pool && allocation.kind != AllocationKind::variable)
    return {};
  DeviceMemory& device = *body_->devices[allocation.device];
  // A pool that processes share lies in a window.
  if (allocation.segment != device.segment()) return {};
  return device.touch(region.address, region.extent());
}

Result<> AddressSpace::make_fresh(const Allocation& allocation, const Region& region) {
  const size_t size = region.extent();
  const FilledParts parts = filled_parts(body_->fill, size);
  const auto fill = [&](DevicePtr at, size_t bytes) -> Result<> {
    TRY(touch(allocation, Region::linear(at, bytes)));
    const os::DeviceAccess access;
    constexpr size_t word = sizeof fresh_pattern;
    os::fill_elements(host_pointer(at), fresh_pattern, word, bytes / word);
    os::fill_elements(host_pointer(at + bytes / word * word), fresh_pattern & 0xff, 1,
                      bytes % word);
    return {};
  };
  if (parts.head) TRY(fill(region.address, parts.head));
  if (parts.tail) TRY(fill(region.address + size - parts.tail, parts.tail));
  return {};
}

AddressSpace::Usage AddressSpace::usage(unsigned device) const {
  if (device >= body_->devices.size()) return {0, 0};
  const size_t total = body_->totals[device];
  return {total - std::min(total, body_->devices[device]->used()), total};
}

size_t AddressSpace::machine_gives() const { return body_->budget.most(); }

}  // namespace cuvette::memory
