// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph_memory.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <vector>

#include "sim/device/machine.hpp"
#include "sim/mutex.hpp"

namespace cuvette::device {
namespace {

struct Entry {
  const GraphMemory* memory;
  size_t size;
  unsigned device;
  bool in_use = false, reserved = false;
};

// All there is, and what it adds up to. Reached through a function: there are no static destructors
// here.
struct Accounts {
  std::atomic<bool> any{false};  // there was an entry: until then nobody has to look
  Mutex mutex;
  std::map<memory::DevicePtr, Entry> entries GUARDED_BY(mutex);
  std::map<unsigned, GraphMemory::Account> by_device GUARDED_BY(mutex);
  // Ended by their nodes with commands still at them: a mistake of the program, which gets no
  // memory pulled away under a command.
  std::vector<Ref<memory::Allocation>> ending GUARDED_BY(mutex);
};

Accounts& accounts() {
  static Accounts& the_accounts = *new Accounts;
  return the_accounts;
}

// Memory is backed in pages of 2 MiB.
uint64_t backed(size_t size) {
  constexpr uint64_t page = 2 << 20;
  return (size + page - 1) / page * page;
}

void change_use(Accounts& all, Entry& entry, bool in_use) REQUIRES(all.mutex) {
  if (entry.in_use == in_use) return;
  entry.in_use = in_use;
  GraphMemory::Account& account = all.by_device[entry.device];
  if (!in_use) {
    account.used -= entry.size;
    return;
  }
  account.used += entry.size;
  account.used_high = std::max(account.used_high, account.used);
  if (entry.reserved) return;
  entry.reserved = true;
  account.reserved += backed(entry.size);
  account.reserved_high = std::max(account.reserved_high, account.reserved);
}

void close(Accounts& all, std::map<memory::DevicePtr, Entry>::iterator entry) REQUIRES(all.mutex) {
  change_use(all, entry->second, false);
  if (entry->second.reserved)
    all.by_device[entry->second.device].reserved -= backed(entry->second.size);
  all.entries.erase(entry);
}

// Frees what nobody is at; false if somebody is.
bool end(const Ref<memory::Allocation>& allocation) {
  memory::AddressSpace& memory = Machine::get().memory();
  if (allocation->users.load(std::memory_order_acquire) > 0) return false;
  // The end of its context may have come first, and may come just now.
  if (memory.find(allocation->address) == allocation) static_cast<void>(memory.free(allocation));
  return true;
}

}  // namespace

Result<Ref<GraphMemory>> GraphMemory::create(size_t size, const memory::Asker& asker) {
  Accounts& all = accounts();
  {
    MutexLock lock(all.mutex);
    std::erase_if(all.ending, end);
  }
  Ref<memory::Allocation> allocation = TRY(Machine::get().memory().allocate(size, asker));
  auto memory = Ref<GraphMemory>::adopt(new GraphMemory(std::move(allocation)));
  MutexLock lock(all.mutex);
  // The end of a context ends memory before its graph, and the address can be given out again.
  if (const auto stale = all.entries.find(memory->address()); stale != all.entries.end())
    close(all, stale);
  all.any.store(true, std::memory_order_release);
  all.entries.emplace(memory->address(), Entry{memory.get(), size, asker.device});
  return memory;
}

GraphMemory::~GraphMemory() {
  Accounts& all = accounts();
  MutexLock lock(all.mutex);
  if (const auto entry = all.entries.find(address());
      entry != all.entries.end() && entry->second.memory == this)
    close(all, entry);
  if (!end(allocation_)) all.ending.push_back(allocation_);
}

bool GraphMemory::known(memory::DevicePtr address) {
  if (!accounts().any.load(std::memory_order_acquire)) return false;
  MutexLock lock(accounts().mutex);
  return accounts().entries.contains(address);
}

bool GraphMemory::in_use(memory::DevicePtr address) {
  MutexLock lock(accounts().mutex);
  const auto entry = accounts().entries.find(address);
  return entry != accounts().entries.end() && entry->second.in_use;
}

void GraphMemory::set_in_use(memory::DevicePtr address, bool in_use) {
  MutexLock lock(accounts().mutex);
  const auto entry = accounts().entries.find(address);
  if (entry != accounts().entries.end()) change_use(accounts(), entry->second, in_use);
}

Result<> GraphMemory::free(memory::DevicePtr address) {
  MutexLock lock(accounts().mutex);
  const auto entry = accounts().entries.find(address);
  if (entry == accounts().entries.end() || !entry->second.in_use)
    return refuse(Error::invalid_value,
                  "No launch of a graph has allocated the memory at 0x%llx, or it is freed.",
                  static_cast<unsigned long long>(address));
  change_use(accounts(), entry->second, false);
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
  MutexLock lock(accounts().mutex);
  for (auto& [address, entry] : accounts().entries) {
    if (entry.device != device || entry.in_use || !entry.reserved) continue;
    // The launch that frees it may be at it still.
    const memory::Allocation& allocation = *entry.memory->allocation_;
    if (allocation.users.load(std::memory_order_acquire) > 0) continue;
    Machine::get().memory().discard(allocation);
    entry.reserved = false;
    accounts().by_device[device].reserved -= backed(entry.size);
  }
}

}  // namespace cuvette::device
