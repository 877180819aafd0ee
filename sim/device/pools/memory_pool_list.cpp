// SPDX-License-Identifier: Apache-2.0
// The list of memory pools, the default and the current pool of each place, and who may use their
// memory.
#include <utility>

#include "sim/device/pools/memory_pool_parts.hpp"
#include "sim/device/stream/peer_access.hpp"

namespace cuvette::device {

using memory::Allocation;

Pools& pools() {
  static Pools& the_pools = *new Pools;
  return the_pools;
}

std::vector<Ref<MemoryPool>> all_pools() {
  MutexLock lock(pools().mutex);
  std::vector<Ref<MemoryPool>> all;
  all.reserve(pools().by_id.size());
  for (const auto& [id, pool] : pools().by_id) all.push_back(pool);
  return all;
}

void Pools::note_usual(const MemoryPool::Home& home) {
  if (home.memory != memory::PoolMemory::device || home.place.type != memory::MemoryPlace::device ||
      static_cast<size_t>(home.place.id) >= usual.size())
    return;
  const auto own = default_of.find(home), current = current_of.find(home);
  const bool is_usual =
      own != default_of.end() && (current == current_of.end() || current->second == own->second);
  usual[static_cast<size_t>(home.place.id)].store(is_usual ? own->second.get() : nullptr,
                                                  std::memory_order_release);
}

// --- The pool that memory comes from -------------------------------------------------------------

Ref<MemoryPool> MemoryPool::default_of(const Home& home) {
  {
    MutexLock lock(pools().mutex);
    if (const auto found = pools().default_of.find(home); found != pools().default_of.end())
      return found->second;
  }
  const Ref<MemoryPool> fresh = make_ref<MemoryPool>(Options{.home = home}, false);
  MutexLock lock(pools().mutex);
  const auto [place, first] = pools().default_of.emplace(home, fresh);
  if (first) pools().by_id.emplace(fresh->id_, fresh);
  pools().note_usual(home);
  return place->second;
}

Ref<MemoryPool> MemoryPool::current_of(const Home& home) {
  if (home == Home::of_device(static_cast<unsigned>(home.place.id)))
    if (MemoryPool* const usual = pools().usual_of(static_cast<unsigned>(home.place.id)))
      return Ref<MemoryPool>(usual);
  {
    MutexLock lock(pools().mutex);
    for (const auto* of : {&pools().current_of, &pools().default_of})
      if (const auto found = of->find(home); found != of->end()) return found->second;
  }
  return default_of(home);
}

Result<> MemoryPool::make_current(const Home& home, Ref<MemoryPool> pool) {
  if (pool->imported_)
    return refuse(Error::invalid_value,
                  "An imported pool cannot allocate memory, so it cannot be current.");
  if (pool->home() != home)
    return refuse(Error::invalid_value,
                  "The pool's memory has another location or type: it is at location %d of type "
                  "%d, not at location %d of type %d.",
                  pool->home().place.id, pool->home().place.type, home.place.id, home.place.type);
  MutexLock lock(pools().mutex);
  std::swap(pools().current_of[home], pool);
  pools().note_usual(home);
  return {};
}

// "If any of the pointers obtained from this pool haven't been freed ... the resources associated
// with the pool will be released automatically once there are no more outstanding allocations."
Result<> MemoryPool::destroy() {
  {
    MutexLock lock(pools().mutex);
    const auto own = pools().default_of.find(home());
    if (own != pools().default_of.end() && own->second.get() == this)
      return refuse(Error::invalid_value, "The default pool of a location cannot be destroyed.");
    // "Destroying the current mempool of a device sets the default mempool of that device as the
    // current mempool for that device."
    const auto current = pools().current_of.find(home());
    if (current != pools().current_of.end() && current->second.get() == this)
      pools().current_of.erase(current);
    pools().note_usual(home());
  }
  bool last;
  {
    MutexLock lock(mutex_);
    destroyed_ = true;
    last = living_ == 0;
  }
  if (last) forget();
  return {};
}

void MemoryPool::forget() {
  MutexLock lock(pools().mutex);
  pools().by_id.erase(id_);
}

Ref<MemoryPool> MemoryPool::of(const Allocation& allocation) {
  if (allocation.pool == 0) return nullptr;
  MemoryPool* const usual = pools().usual_of(allocation.device);
  if (usual && usual->id_ == allocation.pool) return Ref<MemoryPool>(usual);
  MutexLock lock(pools().mutex);
  const auto found = pools().by_id.find(allocation.pool);
  return found == pools().by_id.end() ? nullptr : found->second;
}

// --- Who may use it ------------------------------------------------------------------------------

void MemoryPool::let(unsigned device, bool may) {
  MutexLock lock(mutex_);
  const uint64_t devices = set_pool_right(id_, device, may);
  if (home().memory != memory::PoolMemory::host) return;
  host_access_ = devices ? memory::Access::read_write : memory::Access::none;
  for (const Ref<Allocation>& part : address_space().all())
    if (part->pool == id_) part->access.store(host_access_, std::memory_order_release);
}

}  // namespace cuvette::device
