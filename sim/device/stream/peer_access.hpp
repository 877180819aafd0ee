// SPDX-License-Identifier: Apache-2.0
// Which memory a context's device can reach by itself: fills and kernels ask.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "sim/device/stream/context.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::device {

// Whether the device of `context` can reach `allocation` from that context by itself. It can
// always reach its own memory and the host's; another device's if cuCtxEnablePeerAccess,
// cuMemSetAccess or cuMemPoolSetAccess gave the right.
bool may_access(const Context& context, const memory::Allocation& allocation);

// Which devices may use the memory of a pool, besides its own: the pool is named by its number,
// which its allocations store. set_pool_right() returns the devices that may now, a bit for each.
bool has_pool_right(uint64_t pool, unsigned device);
uint64_t set_pool_right(uint64_t pool, unsigned device, bool may);
void forget_pool_rights(uint64_t pool);

}  // namespace cuvette::device
