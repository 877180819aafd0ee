// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/address_space.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "sim/memory/address_space_body.hpp"
#include "sim/os/bytes.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/held_pages.hpp"
#include "sim/os/output.hpp"
#include "sim/os/process.hpp"

namespace cuvette::memory {
namespace {

constexpr size_t least_addresses = size_t{64} << 20;

// Fits `capacities` into `addresses`, a quarter of which is kept for external memory. Capacities
// beyond their share are cut.
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

// Gives each device up to twice as many addresses as it has memory, from the addresses that
// `capacities` leave of the same three quarters.
std::vector<size_t> with_spare_addresses(const std::vector<size_t>& capacities, size_t addresses) {
  size_t left = addresses / 4 * 3;
  for (const size_t capacity : capacities) left -= std::min(left, capacity);
  std::vector<size_t> spans = capacities;
  for (size_t i = 0; i < spans.size(); ++i) {
    const size_t share = round_down(left / (spans.size() - i), Touched::chunk_size);
    const size_t spare = std::min(capacities[i], share);
    spans[i] += spare;
    left -= spare;
  }
  return spans;
}

}  // namespace

Result<std::unique_ptr<AddressSpace>> AddressSpace::create(const Options& options) {
  os::find_bytes_routines();
  os::set_up_device_key(options.gate);
  auto body = std::make_unique<AddressSpaceBody>(
      TRY(os::Reservation::reserve(most_addresses, least_addresses)), options.fill);

  const std::vector<size_t> capacities = fitted(options.capacities, body->reservation.size());
  const std::vector<size_t> spans = with_spare_addresses(capacities, body->reservation.size());
  DevicePtr at = body->reservation.begin();
  for (size_t ordinal = 0; ordinal < capacities.size(); ++ordinal) {
    const size_t wanted = options.capacities[ordinal];
    size_t capacity = capacities[ordinal], span = spans[ordinal];
    Result<std::unique_ptr<DeviceMemory>> device = Error::out_of_memory;
    // A limit on the size of files (`ulimit -f`) may refuse what the addresses would allow.
    while (capacity >= Touched::chunk_size) {
      device = DeviceMemory::create(body->reservation, at, {capacity, span}, options.fill,
                                    body->budget, options.gap);
      if (device.ok() || device.error() != Error::out_of_memory) break;
      if (span == capacity) capacity = round_down(capacity / 2, Touched::chunk_size);
      span = capacity;
    }
    body->devices.push_back(TRY(std::move(device)));
    body->totals.push_back(std::min(capacity, wanted));
    if (capacity < wanted) {
      os::say(
          "device %zu has %zu MiB of memory instead of %zu MiB, because more does not fit into "
          "the address space (at most 1 TiB for all devices; `ulimit -v` and `ulimit -f` may set "
          "less).",
          ordinal, capacity >> 20, wanted >> 20);
    }
    at += span;
  }
  {
    MutexLock lock(body->windows_mutex);
    body->windows = Windows(at, body->reservation.end() - at);
  }
  return std::unique_ptr<AddressSpace>(new AddressSpace(std::move(body)));
}

AddressSpace::AddressSpace(std::unique_ptr<AddressSpaceBody> body) : body_(std::move(body)) {}
AddressSpace::~AddressSpace() = default;

Result<Ref<Allocation>> AddressSpace::allocate(size_t size, const Requester& requester) {
  Ref<Allocation> allocation =
      TRY(or_after_frees([&] { return body_->allocate(AllocationKind::device, size, requester); }));
  body_->living.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::allocate_array(size_t size, const Requester& requester) {
  Ref<Allocation> allocation =
      TRY(or_after_frees([&] { return body_->allocate(AllocationKind::array, size, requester); }));
  body_->arrays.insert(allocation);
  return allocation;
}

Result<Ref<Allocation>> AddressSpace::allocate_variable(const NewVariable& variable,
                                                        const Requester& requester) {
  const size_t size = variable.size;
  Ref<Allocation> allocation;
  if (variable.managed) {
    allocation = TRY(body_->map_host(AllocationKind::managed, size, requester));
    allocation->flags = attach_flag::global;
  } else {
    allocation =
        TRY(body_->allocate(AllocationKind::variable, size, requester, variable.alignment));
    // Zeros are written over all of it, so all of it is accounted for.
    const Result<> touched = touch(*allocation, Region::linear(allocation->address, size));
    if (!touched.ok()) {
      body_->devices[allocation->device]->free(allocation->address, allocation->size);
      return touched.error();
    }
    const os::DeviceAccess access;
    os::fill_elements(host_pointer(allocation->address), 0, 1, size);
  }
  allocation->name = variable.name;
  if (body_->living.insert(allocation)) return allocation;
  os::unmap_host_pages(allocation->address, round_up(size, os::page_size()));
  return Error::operating_system;
}

Result<Ref<Allocation>> AddressSpace::allocate_host(AllocationKind kind, size_t size,
                                                    uint32_t flags, const Requester& requester) {
  if (kind != AllocationKind::pinned && kind != AllocationKind::managed)
    return Error::invalid_value;
  Ref<Allocation> allocation = TRY(body_->map_host(kind, size, requester));
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

bool AddressSpace::wait_for_frees() {
  using namespace std::chrono_literals;
  constexpr auto patience = 300ms;
  const uint64_t last = body_->begun_frees.load(), before = body_->ended_frees.load();
  auto seen_at = std::chrono::steady_clock::now();
  for (uint64_t ended = before; ended < last;) {
    std::this_thread::sleep_for(100us);
    const uint64_t ended_now = body_->ended_frees.load();
    const auto now = std::chrono::steady_clock::now();
    if (ended_now == ended && now - seen_at > patience) break;
    if (ended_now != ended) seen_at = now;
    ended = ended_now;
  }
  return body_->ended_frees.load() != before;
}

Result<> AddressSpace::free(const Ref<Allocation>& allocation) {
  if (allocation->kind == AllocationKind::mapping)
    return body_->virtual_memory.unmap(allocation->address, allocation->size);
  if (allocation->kind == AllocationKind::graphics) {
    auto lent = Allocation::Loan::lent;
    if (allocation->loan.compare_exchange_strong(lent, Allocation::Loan::known)) return {};
    return Error::invalid_value;
  }
  // Two threads may free the same allocation; only the first succeeds.
  const bool unfound = allocation->kind == AllocationKind::array ||
                       allocation->kind == AllocationKind::external_array ||
                       allocation->kind == AllocationKind::reserve;
  RangeIndex& index = unfound ? body_->arrays : body_->living;
  if (!index.erase(*allocation)) return Error::invalid_value;
  allocation->ended.store(true, std::memory_order_seq_cst);
  switch (allocation->kind) {
    case AllocationKind::device:
    case AllocationKind::variable:
      body_->freed.add(allocation);
      [[fallthrough]];
    case AllocationKind::array:
      body_->free_device_memory(*allocation);
      break;
    case AllocationKind::external:
    case AllocationKind::shared:
      // The record that is remembered does not keep the exporter's memory alive.
      body_->freed.add(record_of(*allocation));
      body_->unmap(*allocation);
      break;
    case AllocationKind::external_array:
      body_->unmap(*allocation);
      break;
    case AllocationKind::mapping:  // handled above
      break;
    case AllocationKind::reserve: {
      if (allocation->pool_memory != PoolMemory::device) {
        body_->host_reserves.fetch_sub(1, std::memory_order_relaxed);
        body_->freed_host.add(record_of(*allocation));
        os::unmap_host_pages(allocation->address, round_up(allocation->size, os::page_size()));
        break;
      }
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
    case AllocationKind::pool:  // its pool decides what happens to it
      break;
    case AllocationKind::graphics:  // handled above
      break;
    case AllocationKind::pinned:
    case AllocationKind::managed:
      body_->freed_host.add(record_of(*allocation));
      os::unmap_host_pages(allocation->address, round_up(allocation->size, os::page_size()));
      break;
    case AllocationKind::registered:
      if (os::pages_held()) os::HeldPages::get().forget(allocation->address, allocation->end());
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

bool AddressSpace::look_at(DevicePtr address, void (*look)(void* own, const Allocation&),
                           void* own) const {
  if (body_->living.look_at(address, look, own)) return true;
  if (body_->lendables.load(std::memory_order_acquire) == 0) [[likely]]
    return false;
  const Ref<Allocation> found = find(address);
  if (found) look(own, *found);
  return static_cast<bool>(found);
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
  return {memory.begin(), memory.addresses()};
}

Fill AddressSpace::fill() const { return body_->fill; }

bool AddressSpace::reserved(DevicePtr address) const {
  if (body_->reservation.contains(address) || body_->virtual_memory.contains(address)) return true;
  if (body_->host_reserves.load(std::memory_order_acquire) == 0) [[likely]]
    return false;
  const Ref<Allocation> reserve = body_->arrays.find(address);
  return reserve && reserve->pool_memory != PoolMemory::device;
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
  // The memory of a pool that processes share lies in a window.
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
  if (device >= body_->devices.size()) return {0, 0, 0};
  const size_t total = body_->totals[device];
  DeviceMemory& memory = *body_->devices[device];
  memory.reclaim();
  return {total - std::min(total, memory.used_by_all()), total, memory.used()};
}

void AddressSpace::share(unsigned device, std::unique_ptr<processes::Ledger> ledger) {
  body_->devices[device]->share(std::move(ledger));
}

void AddressSpace::set_context_memory(unsigned device, size_t bytes) {
  body_->devices[device]->set_context_memory(bytes);
}

size_t AddressSpace::machine_gives() const { return body_->budget.most(); }

}  // namespace cuvette::memory
