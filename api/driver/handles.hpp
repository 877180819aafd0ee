// SPDX-License-Identifier: Apache-2.0
// How a handle of a context, a stream or an event becomes an object that can be used, and which
// handles end with a context.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"

#include "api/driver/call.hpp"
#include "api/driver/handle_registry.hpp"
#include "sim/interop/external/external_memory.hpp"
#include "sim/interop/graphics_resource.hpp"
#include "sim/stream/context.hpp"
#include "sim/stream/event.hpp"
#include "sim/stream/external_semaphore.hpp"
#include "sim/stream/memory_pool.hpp"
#include "sim/stream/stream.hpp"

namespace cuvette::driver {

// Null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are streams of `context`; every other handle
// comes from cuStreamCreate, in any context. Errors: invalid_handle.
Result<Ref<device::Stream>> find(CUstream handle, device::Context& context);
Result<Ref<device::Stream>> find(CUstream handle) = delete;  // of which context, if it is null?
// Find a stream or an event of a context that can be used. Measured on an H200: for a handle that a
// call has made, no context needs to be current; null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD
// are streams of the current one. Errors: invalid_handle; invalid_context, context_is_destroyed, or
// the sticky error of the context.
Result<Ref<device::Stream>> find_usable(CUstream handle);
Result<Ref<device::Event>> find_usable(CUevent handle);
// Checks, before anything else, whether the context that such a handle needs is there.
Result<> check_context_for(CUstream handle);

// Returns the pool's handle, which the first call makes; null for a destroyed pool. Errors:
// out_of_memory.
Result<CUmemoryPool> give_handle(device::MemoryPool& pool);
// The handle of a resource that was registered a moment ago. Errors: out_of_memory; then it is
// unregistered again.
Result<CUgraphicsResource> give_handle_or_unregister(Ref<interop::GraphicsResource> resource);

// Like call_in_context(), for functions that name a stream, which `body` gets.
template <typename CUresult, typename Body>
[[gnu::always_inline]] inline CUresult call_in_stream(CUstream handle, Body&& body) noexcept {
  return call<CUresult>([&]() -> Result<> { return body(*TRY(find_usable(handle))); });
}

// Finds the device of an ordinal. Errors: invalid_device.
Result<device::Device*> find_device(CUdevice device);

// Ends the handles of everything that belonged to a context that is gone.
void forget_handles_of(const device::Context& context, uint64_t generation);

}  // namespace cuvette::driver
