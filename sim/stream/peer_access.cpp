// SPDX-License-Identifier: Apache-2.0
#include "sim/stream/peer_access.hpp"

#include "sim/stream/device.hpp"
#include "sim/stream/memory_pool.hpp"
#include "sim/stream/peers.hpp"

namespace cuvette::device {

bool may_access(const Context& context, const memory::Allocation& allocation) {
  const unsigned device = context.device().ordinal();
  if (allocation.pool_memory == memory::PoolMemory::host) [[unlikely]]
    return MemoryPool::may_use(allocation.pool, device);
  if (allocation.device == device || allocation.host_accessible()) return true;
  // cuMemSetAccess alone decides who may use a mapping.
  if (allocation.kind == memory::AllocationKind::mapping) return true;
  if (allocation.pool != 0 && MemoryPool::may_use(allocation.pool, device)) return true;
  return Peers::get().has_right(context.generation(), allocation.owner);
}

}  // namespace cuvette::device
