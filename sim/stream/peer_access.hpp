// SPDX-License-Identifier: Apache-2.0
// Which memory a context's device can reach by itself: fills and kernels ask.
//
// Threads: any.
#pragma once

#include "sim/memory/allocation.hpp"
#include "sim/stream/context.hpp"

namespace cuvette::device {

// Whether the device of `context` can reach `allocation` from that context by itself. It can
// always reach its own memory and the host's; another device's if cuCtxEnablePeerAccess,
// cuMemSetAccess or cuMemPoolSetAccess gave the right.
bool may_access(const Context& context, const memory::Allocation& allocation);

}  // namespace cuvette::device
