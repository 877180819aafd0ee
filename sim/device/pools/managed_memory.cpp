// SPDX-License-Identifier: Apache-2.0
#include "sim/device/pools/managed_memory.hpp"

#include <map>

#include "sim/base/mutex.hpp"
#include "sim/base/range_map.hpp"
#include "sim/base/rounding.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/pools/memory_pool.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::device {
namespace {

constexpr memory::DevicePtr page = 4096;

memory::DevicePtr first_page(memory::DevicePtr address) { return round_down(address, page); }
memory::DevicePtr end_page(memory::DevicePtr end) { return round_up(end, page); }

struct Advised {
  Ref<memory::Allocation> allocation;
  RangeMap<MemoryAdvice> ranges;  // of all its pages
};

// By the allocation's identifier. Reached through a function, so that no static destructor runs.
struct Store {
  Mutex mutex;
  std::map<uint64_t, Advised> kept GUARDED_BY(mutex);
  std::map<uint64_t, Ref<memory::Allocation>> attached GUARDED_BY(mutex);
};

Store& store() {
  static Store& the_store = *new Store;
  return the_store;
}

// Returns what holds before any advice: managed memory of a pool prefers the pool's place.
MemoryAdvice unadvised(const memory::Allocation& allocation) {
  MemoryAdvice none;
  if (const Ref<MemoryPool> pool = MemoryPool::of(allocation)) none.preferred = pool->home().place;
  return none;
}

}  // namespace

Result<Ref<memory::Allocation>> ManagedMemory::find(memory::DevicePtr address, size_t size) {
  Ref<memory::Allocation> allocation = Machine::get().memory().find(address);
  if (size == 0 || !allocation || !allocation->managed() || !allocation->contains(address, size))
    return refuse(Error::invalid_value, "%zu bytes at 0x%llx are not a range of managed memory.",
                  size, static_cast<unsigned long long>(address));
  return allocation;
}

void ManagedMemory::change(const Ref<memory::Allocation>& allocation, memory::DevicePtr address,
                           size_t size, const std::function<void(MemoryAdvice&)>& change) {
  Store& all = store();
  MutexLock lock(all.mutex);
  std::erase_if(all.kept, [](const auto& one) {
    return one.second.allocation->ended.load(std::memory_order_acquire);
  });
  Advised& kept = all.kept[allocation->buffer_id];
  if (!kept.allocation) {
    kept.allocation = allocation;
    kept.ranges.assign(first_page(allocation->address), end_page(allocation->end()),
                       unadvised(*allocation));
  }
  for (auto& [at, range] : kept.ranges.isolate(first_page(address), end_page(address + size)))
    change(range.value);
}

std::vector<MemoryAdvice> ManagedMemory::advice(const Ref<memory::Allocation>& allocation,
                                                memory::DevicePtr address, size_t size) {
  Store& all = store();
  MutexLock lock(all.mutex);
  const auto kept = all.kept.find(allocation->buffer_id);
  if (kept == all.kept.end()) return {unadvised(*allocation)};
  std::vector<MemoryAdvice> found;
  for (const auto& [at, range] :
       kept->second.ranges.touching(first_page(address), end_page(address + size)))
    if (found.empty() || found.back() != range.value) found.push_back(range.value);
  return found;
}

Result<> ManagedMemory::attach(const Stream& stream, memory::DevicePtr address, size_t size,
                               bool alone) {
  const Ref<memory::Allocation> allocation = Machine::get().memory().find(address);
  if (!allocation || !allocation->managed())
    return refuse(Error::invalid_value, "0x%llx is not managed memory.",
                  static_cast<unsigned long long>(address));
  // "length: must be zero or the full length": "partial attachment" does not exist.
  if (allocation->address != address || (size != 0 && size != allocation->size))
    return refuse(Error::invalid_value, "Managed memory is attached as a whole.");
  // "It is illegal to attach singly to the NULL stream"
  if (alone && stream.kind() == StreamKind::legacy)
    return refuse(Error::invalid_value, "Nothing can be attached to the legacy stream alone.");
  Store& all = store();
  MutexLock lock(all.mutex);
  std::erase_if(all.attached,
                [](const auto& one) { return one.second->ended.load(std::memory_order_acquire); });
  all.attached.emplace(allocation->buffer_id, allocation);
  return {};
}

bool ManagedMemory::was_attached(const memory::Allocation& allocation) {
  Store& all = store();
  MutexLock lock(all.mutex);
  return all.attached.contains(allocation.buffer_id);
}

}  // namespace cuvette::device
