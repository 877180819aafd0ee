// SPDX-License-Identifier: Apache-2.0
// How a handle of a context, a stream or an event becomes an object that can be used, and which
// handles end with a context.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"

#include "api/driver/call.hpp"
#include "api/driver/handle_registry.hpp"
#include "sim/device/pools/memory_pool.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/device/stream/external_semaphore.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/interop/external/external_memory.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::driver {

// Null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are streams of `context`; every other handle
// comes from cuStreamCreate, in any context. Errors: invalid_handle.
Result<Ref<device::Stream>> find(CUstream handle, device::Context& context);
Result<Ref<device::Stream>> find(CUstream handle) = delete;  // of which context, if it is null?
// Find a stream or an event in a usable context. Measured on an H200: handles that a call created
// need no current context; null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD
// are streams of the current one. Errors: invalid_handle; invalid_context, context_is_destroyed, or
// the sticky error of the context.
Result<Ref<device::Stream>> find_usable(CUstream handle);
Result<Ref<device::Event>> find_usable(CUevent handle);
// Checks whether the context that such a handle needs is current; comes before all other checks.
Result<> check_context_for(CUstream handle);

// Returns the pool's handle, which the first call creates; null for a destroyed pool. Errors:
// out_of_memory.
Result<CUmemoryPool> give_handle(device::MemoryPool& pool);
// Returns a handle for a newly registered resource. Errors: out_of_memory, which also unregisters
// the resource.
Result<CUgraphicsResource> give_handle_or_unregister(Ref<interop::GraphicsResource> resource);

// Like call_in_context(), for functions that take a stream; passes it to `body`.
template <typename CUresult, typename Body>
[[gnu::always_inline]] inline CUresult call_in_stream(CUstream handle, Body&& body) noexcept {
  return call<CUresult>([&]() -> Result<> { return body(*TRY(find_usable(handle))); });
}

// Finds the device with an ordinal. Errors: invalid_device.
Result<device::Device*> find_device(CUdevice device);

// Ends the handles of everything that belonged to a destroyed context.
void forget_handles_of(const device::Context& context, uint64_t generation);

}  // namespace cuvette::driver
