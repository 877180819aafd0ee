// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/rounding.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/late_uses.hpp"
#include "sim/device/stream/misuse.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::device {
namespace {

// The pages of the memory of one graph.
struct Backing final : Counted {
  Backing(unsigned device, uint64_t used, uint64_t reserved)
      : device(device), used(used), reserved(reserved) {}
  const unsigned device;
  const uint64_t used, reserved;
};

struct Entry {
  const GraphMemory* memory;  // null: its graph is gone; it stays until it is freed
  Ref<memory::Allocation> allocation;
  bool in_use = false;
  bool was_in_use = false;
  unsigned pending_frees = 0;      // of calls that have come, but not of the work
  const void* freed_at = nullptr;  // the call that ended its use last
  Ref<Backing> backing;
};

// All there is, and what it adds up to. Reached through a function, so that no static destructor
// runs.
struct Accounts {
  std::atomic<bool> any{false};  // whether there has been an entry; until then lookups are skipped
  Mutex mutex;
  std::map<memory::DevicePtr, Entry> entries GUARDED_BY(mutex);
  std::map<unsigned, GraphMemory::Account> by_device GUARDED_BY(mutex);
  std::vector<Ref<Backing>> backings GUARDED_BY(mutex);
  // They end when the commands that use them are done: the commands that free them, or others,
  // which is the program's mistake.
  std::vector<Ref<memory::Allocation>> ending GUARDED_BY(mutex);
};

Accounts& accounts() {
  static Accounts& the_accounts = *new Accounts;
  return the_accounts;
}

bool live(memory::DevicePtr address, const Entry& entry) {
  return Machine::get().memory().find(address) == entry.allocation;
}

// Frees the allocation unless a command uses it, besides the caller; returns whether it did.
bool end(const Ref<memory::Allocation>& allocation, uint32_t own_uses = 0) {
  memory::AddressSpace& memory = Machine::get().memory();
  if (allocation->users.load(std::memory_order_acquire) > own_uses) return false;
  // Its context may have ended before, or may be ending now.
  if (memory.find(allocation->address) == allocation) static_cast<void>(memory.free(allocation));
  return true;
}

// Ends memory that nobody uses any more. `own_uses`: the caller's uses of `own`.
void sweep(Accounts& all, const Ref<memory::Allocation>& own = {}, uint32_t own_uses = 0)
    REQUIRES(all.mutex) {
  std::erase_if(all.ending, [&](const Ref<memory::Allocation>& one) REQUIRES(all.mutex) {
    if (!end(one, one == own ? own_uses : 0)) return false;
    const auto entry = all.entries.find(one->address);
    if (entry != all.entries.end() && entry->second.allocation == one) all.entries.erase(entry);
    return true;
  });
}

}  // namespace

Result<Ref<GraphMemory>> GraphMemory::create(size_t size, bool managed,
                                             const memory::Requester& requester) {
  Accounts& all = accounts();
  {
    MutexLock lock(all.mutex);
    sweep(all);
  }
  memory::AddressSpace& space = Machine::get().memory();
  Ref<memory::Allocation> allocation =
      managed ? TRY(space.allocate_host(memory::AllocationKind::managed, size,
                                        memory::attach_flag::global, requester))
              : TRY(space.allocate(size, requester));
  allocation->graph_life.store(memory::GraphLife::absent, std::memory_order_release);
  auto memory = Ref<GraphMemory>::adopt(new GraphMemory(std::move(allocation)));
  MutexLock lock(all.mutex);
  all.any.store(true, std::memory_order_release);
  // A context that ends takes the memory along before the graph ends, and the address may be given
  // out again.
  all.entries[memory->address()] = {memory.get(), memory->allocation_, false, false, 0, nullptr,
                                    nullptr};
  return memory;
}

GraphMemory::~GraphMemory() {
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  if (const auto entry = all.entries.find(address());
      entry != all.entries.end() && entry->second.memory == this) {
    entry->second.memory = nullptr;
    // Memory that a launch has allocated stays until it is freed (measured), and kernels before the
    // free may use it.
    if (entry->second.in_use || entry->second.pending_frees > 0) return;
  }
  all.ending.push_back(allocation_);
  sweep(all);
}

void GraphMemory::back(const std::vector<Ref<GraphMemory>>& memories) {
  constexpr uint64_t granularity = 512, block = 32 << 20;
  std::map<unsigned, uint64_t> sizes;
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  const auto unbacked = [&](const Ref<GraphMemory>& memory) REQUIRES(all.mutex) -> Entry* {
    const auto entry = all.entries.find(memory->address());
    const bool own = entry != all.entries.end() && entry->second.memory == memory.get();
    return own && !entry->second.backing ? &entry->second : nullptr;
  };
  for (const Ref<GraphMemory>& memory : memories)
    if (unbacked(memory)) sizes[memory->device()] += round_up(memory->size(), granularity);
  for (const auto& [device, size] : sizes) {
    const uint64_t blocks = (size + block - 1) / block;
    const auto backing = make_ref<Backing>(device, blocks * block, std::bit_ceil(blocks) * block);
    all.backings.push_back(backing);
    Account& account = all.by_device[device];
    account.used += backing->used;
    account.reserved += backing->reserved;
    account.used_high = std::max(account.used_high, account.used);
    account.reserved_high = std::max(account.reserved_high, account.reserved);
    for (const Ref<GraphMemory>& memory : memories)
      if (Entry* const entry = memory->device() == device ? unbacked(memory) : nullptr)
        entry->backing = backing;
  }
}

bool GraphMemory::known(memory::DevicePtr address) {
  Accounts& all = accounts();
  if (!all.any.load(std::memory_order_acquire)) return false;
  MutexLock lock(all.mutex);
  const auto entry = all.entries.find(address);
  if (entry == all.entries.end()) return false;
  if (entry->second.memory) return true;
  // Its context may have ended with it, and the address may belong to other memory.
  if (live(address, entry->second)) return true;
  all.entries.erase(entry);
  return false;
}

Ref<memory::Allocation> GraphMemory::allocation_at(memory::DevicePtr address) {
  MutexLock lock(accounts().mutex);
  const auto entry = accounts().entries.find(address);
  return entry == accounts().entries.end() ? nullptr : entry->second.allocation;
}

bool GraphMemory::in_use(memory::DevicePtr address) {
  MutexLock lock(accounts().mutex);
  const auto entry = accounts().entries.find(address);
  return entry != accounts().entries.end() && entry->second.in_use;
}

Result<> GraphMemory::check_in_use(memory::DevicePtr address, const void* call_site) {
  Accounts& all = accounts();
  if (!all.any.load(std::memory_order_acquire)) return {};
  misuse::GraphMemoryNotThere mistake{nullptr, address};
  {
    MutexLock lock(all.mutex);
    const auto after = all.entries.upper_bound(address);
    if (after == all.entries.begin()) return {};
    const Entry& entry = std::prev(after)->second;
    if (entry.in_use || address >= entry.allocation->end() ||
        !live(entry.allocation->address, entry))
      return {};
    mistake.memory = entry.allocation;
    mistake.was_there = entry.was_in_use;
    mistake.freed_at = entry.freed_at;
  }
  if (Machine::get().needs().has(Needs::bounds)) notify_misuse({std::move(mistake), call_site});
  return refuse(Error::invalid_value,
                "0x%llx is memory of a graph that no launch has allocated, or that is freed.",
                static_cast<unsigned long long>(address));
}

void GraphMemory::launched(memory::DevicePtr address, const Launch& launch, const void* call_site) {
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  const auto found = all.entries.find(address);
  if (found == all.entries.end()) return;
  Entry& entry = found->second;
  entry.in_use = launch.in_use;
  entry.pending_frees += launch.frees;
  if (launch.allocates) entry.was_in_use = true;
  if (launch.frees > 0) entry.freed_at = call_site;
}

GraphMemory::Freed GraphMemory::freed(memory::DevicePtr address) {
  MutexLock lock(accounts().mutex);
  const auto entry = accounts().entries.find(address);
  if (entry == accounts().entries.end() || entry->second.in_use) return {};
  return {entry->second.was_in_use, entry->second.freed_at};
}

void GraphMemory::begin_life(memory::Allocation& allocation) {
  allocation.freed_at.store(nullptr, std::memory_order_relaxed);
  allocation.graph_life.store(memory::GraphLife::present, std::memory_order_release);
}

void GraphMemory::end_life(const Ref<memory::Allocation>& allocation, const void* freed_at,
                           uint32_t own_uses) {
  allocation->freed_at.store(freed_at, std::memory_order_relaxed);
  allocation->graph_life.store(memory::GraphLife::absent, std::memory_order_release);
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  const auto entry = all.entries.find(allocation->address);
  if (entry == all.entries.end() || entry->second.allocation != allocation) return;
  // Work that the program has submitted since may use it until the last free.
  if (--entry->second.pending_frees > 0 || entry->second.in_use || entry->second.memory) return;
  all.ending.push_back(allocation);
  sweep(all, allocation, own_uses);
}

// Errors: see free(). Two threads may free the same memory; only the first succeeds.
Result<> GraphMemory::begin_free(memory::DevicePtr address, const void* call_site) {
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  const auto entry = all.entries.find(address);
  if (entry == all.entries.end() || !std::exchange(entry->second.in_use, false))
    return refuse(Error::invalid_value,
                  "No launch of a graph has allocated the memory at 0x%llx, or it is freed.",
                  static_cast<unsigned long long>(address));
  ++entry->second.pending_frees;
  entry->second.freed_at = call_site;
  return {};
}

Result<> GraphMemory::free(memory::DevicePtr address, const void* call_site) {
  const Ref<memory::Allocation> allocation = allocation_at(address);
  TRY(begin_free(address, call_site));
  Context::wait_for_users(*allocation);
  LateUses::add(allocation);  // kernels do not count as users until they have run
  end_life(allocation, call_site, 0);
  return {};
}

Result<> GraphMemory::free(memory::DevicePtr address, Stream& stream, const void* call_site) {
  const Ref<memory::Allocation> allocation = allocation_at(address);
  TRY(begin_free(address, call_site));
  stream.context().submit(stream, GraphMemoryChange(OperationKind::free, allocation, call_site));
  return {};
}

GraphMemoryChange::GraphMemoryChange(OperationKind kind, Ref<memory::Allocation> allocation,
                                     const void* call_site)
    : MemoryOperation(kind, {}, call_site) {
  footprint_.writes = memory::Region::linear(allocation->address, allocation->size);
  footprint_.writes_in = memory::Use(std::move(allocation));
}

Progress GraphMemoryChange::step(OperationRunner&) {
  const Ref<memory::Allocation>& allocation = footprint_.writes_in.allocation();
  if (kind == OperationKind::allocate) {
    GraphMemory::begin_life(*allocation);
    return Progress::done();
  }
  // If a schedule decides the order, a use that comes too late is to find something else.
  if (exec::Scheduler::get()) address_space().fill_fresh(allocation->address, allocation->size);
  GraphMemory::end_life(allocation, call_site, 1);
  return Progress::done();
}

GraphMemory::Account GraphMemory::account(unsigned device) {
  MutexLock lock(accounts().mutex);
  return accounts().by_device[device];
}

void GraphMemory::reset_used_high(unsigned device) {
  MutexLock lock(accounts().mutex);
  accounts().by_device[device].used_high = 0;
}

void GraphMemory::reset_reserved_high(unsigned device) {
  MutexLock lock(accounts().mutex);
  accounts().by_device[device].reserved_high = 0;
}

void GraphMemory::trim(unsigned device) {
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  std::erase_if(all.backings, [&](const Ref<Backing>& backing) REQUIRES(all.mutex) {
    if (backing->device != device) return false;
    // A context that ends also ends memory in use; the launch that frees it may still be running.
    for (const auto& [address, entry] : all.entries)
      if (entry.backing == backing && live(address, entry) &&
          (entry.in_use || entry.pending_frees > 0 ||
           entry.allocation->users.load(std::memory_order_acquire) > 0))
        return false;
    for (auto& [address, entry] : all.entries) {
      if (!(entry.backing == backing)) continue;
      if (live(address, entry)) Machine::get().memory().discard(*entry.allocation);
      entry.backing = nullptr;
    }
    all.by_device[device].used -= backing->used;
    all.by_device[device].reserved -= backing->reserved;
    return true;
  });
}

}  // namespace cuvette::device
