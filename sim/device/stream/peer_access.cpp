// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/peer_access.hpp"

#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/peers.hpp"

namespace cuvette::device {
namespace {

// For each pool, which other devices may use its memory: a bit for each.
struct PoolRights {
  Mutex mutex;
  std::unordered_map<uint64_t, uint64_t> of GUARDED_BY(mutex);
};

PoolRights& pool_rights() {
  static PoolRights& the_rights = *new PoolRights;
  return the_rights;
}

}  // namespace

bool may_access(const Context& context, const memory::Allocation& allocation) {
  const unsigned device = context.device().ordinal();
  if (allocation.pool_memory == memory::PoolMemory::host) [[unlikely]]
    return has_pool_right(allocation.pool, device);
  if (allocation.device == device || allocation.host_accessible()) return true;
  // cuMemSetAccess alone decides who may use a mapping.
  if (allocation.kind == memory::AllocationKind::mapping) return true;
  if (allocation.pool != 0 && has_pool_right(allocation.pool, device)) return true;
  return Peers::get().has_right(context.generation(), allocation.owner);
}

bool has_pool_right(uint64_t pool, unsigned device) {
  PoolRights& rights = pool_rights();
  MutexLock lock(rights.mutex);
  const auto found = rights.of.find(pool);
  return found != rights.of.end() && (found->second >> device & 1) != 0;
}

uint64_t set_pool_right(uint64_t pool, unsigned device, bool may) {
  PoolRights& rights = pool_rights();
  MutexLock lock(rights.mutex);
  uint64_t& mask = rights.of[pool];
  const uint64_t bit = uint64_t{1} << device;
  return mask = may ? mask | bit : mask & ~bit;
}

void forget_pool_rights(uint64_t pool) {
  PoolRights& rights = pool_rights();
  MutexLock lock(rights.mutex);
  rights.of.erase(pool);
}

}  // namespace cuvette::device
