// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_memory.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <map>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/rounding.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/late_uses.hpp"
#include "sim/device/stream/memory_operations.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::device {
namespace {

// The place in a stream's order from which on the memory has any content.
class FreeInStream final : public MemoryOperation<FreeInStream> {
 public:
  FreeInStream(const Ref<memory::Allocation>& memory, const void* call_site)
      : MemoryOperation(OperationKind::free, all_of(memory), call_site) {}
  Progress step(OperationRunner&) override {
    address_space().fill_fresh(footprint_.writes.address, footprint_.writes.width);
    return Progress::done();
  }

 private:
  static Footprint all_of(const Ref<memory::Allocation>& memory) {
    Footprint footprint;
    footprint.writes = memory::Region::linear(memory->address, memory->size);
    footprint.writes_in = memory::Use(memory);
    return footprint;
  }
};

// The pages of the memory of one graph.
struct Backing final : Counted {
  Backing(unsigned device, uint64_t used, uint64_t reserved)
      : device(device), used(used), reserved(reserved) {}
  const unsigned device;
  const uint64_t used, reserved;
};

struct Entry {
  const GraphMemory* memory;  // null: its graph is gone, and `allocation` is all that there is
  Ref<memory::Allocation> allocation;
  bool in_use = false;
  Ref<Backing> backing;
};

// All there is, and what it adds up to. Reached through a function: there are no static destructors
// here.
struct Accounts {
  std::atomic<bool> any{false};  // whether there has been an entry; until then lookups are skipped
  Mutex mutex;
  std::map<memory::DevicePtr, Entry> entries GUARDED_BY(mutex);
  std::map<unsigned, GraphMemory::Account> by_device GUARDED_BY(mutex);
  std::vector<Ref<Backing>> backings GUARDED_BY(mutex);
  // Ended while commands use them, which is the program's mistake. They stay until the commands are
  // done.
  std::vector<Ref<memory::Allocation>> ending GUARDED_BY(mutex);
};

Accounts& accounts() {
  static Accounts& the_accounts = *new Accounts;
  return the_accounts;
}

bool live(memory::DevicePtr address, const Entry& entry) {
  return Machine::get().memory().find(address) == entry.allocation;
}

// Frees the allocation unless a command uses it; returns whether it did.
bool end(const Ref<memory::Allocation>& allocation) {
  memory::AddressSpace& memory = Machine::get().memory();
  if (allocation->users.load(std::memory_order_acquire) > 0) return false;
  // Its context may have ended before, or may be ending now.
  if (memory.find(allocation->address) == allocation) static_cast<void>(memory.free(allocation));
  return true;
}

}  // namespace

Result<Ref<GraphMemory>> GraphMemory::create(size_t size, bool managed,
                                             const memory::Requester& requester) {
  Accounts& all = accounts();
  {
    MutexLock lock(all.mutex);
    std::erase_if(all.ending, end);
  }
  memory::AddressSpace& space = Machine::get().memory();
  Ref<memory::Allocation> allocation =
      managed ? TRY(space.allocate_host(memory::AllocationKind::managed, size,
                                        memory::attach_flag::global, requester))
              : TRY(space.allocate(size, requester));
  auto memory = Ref<GraphMemory>::adopt(new GraphMemory(std::move(allocation)));
  MutexLock lock(all.mutex);
  all.any.store(true, std::memory_order_release);
  // A context that ends takes the memory along before the graph ends, and the address may be given
  // out again.
  all.entries[memory->address()] = {memory.get(), memory->allocation_, false, nullptr};
  return memory;
}

GraphMemory::~GraphMemory() {
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  if (const auto entry = all.entries.find(address());
      entry != all.entries.end() && entry->second.memory == this) {
    // Memory that a launch has allocated stays until it is freed (measured).
    if (entry->second.in_use) {
      entry->second.memory = nullptr;
      return;
    }
    all.entries.erase(entry);
  }
  if (!end(allocation_)) all.ending.push_back(allocation_);
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

bool GraphMemory::in_use(memory::DevicePtr address) {
  MutexLock lock(accounts().mutex);
  const auto entry = accounts().entries.find(address);
  return entry != accounts().entries.end() && entry->second.in_use;
}

Result<> GraphMemory::check_in_use(memory::DevicePtr address) {
  Accounts& all = accounts();
  if (!all.any.load(std::memory_order_acquire)) return {};
  MutexLock lock(all.mutex);
  const auto after = all.entries.upper_bound(address);
  if (after == all.entries.begin()) return {};
  const Entry& entry = std::prev(after)->second;
  if (entry.in_use || address >= entry.allocation->end() || !live(entry.allocation->address, entry))
    return {};
  return refuse(Error::invalid_value,
                "0x%llx is memory of a graph that no launch has allocated, or that is freed.",
                static_cast<unsigned long long>(address));
}

void GraphMemory::set_in_use(memory::DevicePtr address, bool in_use) {
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  const auto entry = all.entries.find(address);
  if (entry == all.entries.end()) return;
  entry->second.in_use = in_use;
  if (in_use || entry->second.memory) return;
  if (!end(entry->second.allocation)) all.ending.push_back(entry->second.allocation);
  all.entries.erase(entry);
}

Result<> GraphMemory::free(memory::DevicePtr address) {
  if (!in_use(address))
    return refuse(Error::invalid_value,
                  "No launch of a graph has allocated the memory at 0x%llx, or it is freed.",
                  static_cast<unsigned long long>(address));
  if (const auto allocation = address_space().find(address);
      allocation && allocation->users.load(std::memory_order_acquire) > 0)
    LateUses::add(allocation);
  set_in_use(address, false);
  return {};
}

Result<> GraphMemory::free(memory::DevicePtr address, Stream& stream, const void* call_site) {
  const auto allocation = address_space().find(address);
  if (!allocation || !in_use(address)) return free(address);
  // The memory stays the graph's. So nothing needs to be done in the stream's order, unless someone
  // looks at what is done there.
  if (!exec::Scheduler::get() && !Machine::get().needs().launches()) return free(address);
  FreeInStream operation(allocation, call_site);  // uses the memory, which may end with its graph
  set_in_use(address, false);
  stream.context().submit(stream, std::move(operation));
  return {};
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
          (entry.in_use || entry.allocation->users.load(std::memory_order_acquire) > 0))
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
