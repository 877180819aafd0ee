// SPDX-License-Identifier: Apache-2.0
// The C API's handles: the tables, and how a handle becomes an object.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"

#include "api/driver/call.hpp"
#include "api/driver/handle_table.hpp"
#include "sim/device/context.hpp"
#include "sim/device/event.hpp"
#include "sim/device/external_semaphore.hpp"
#include "sim/device/memory_pool.hpp"
#include "sim/device/stream.hpp"
#include "sim/interop/external_memory.hpp"
#include "sim/interop/graphics_resource.hpp"

namespace cuvette::driver {

extern HandleTable<device::Context> context_handles;
extern HandleTable<device::Stream> stream_handles;
extern HandleTable<device::Event> event_handles;
extern HandleTable<interop::ExternalMemory> external_memory_handles;
extern HandleTable<device::ExternalSemaphore> external_semaphore_handles;
extern HandleTable<interop::GraphicsResource> graphics_handles;
extern HandleTable<device::MemoryPool> memory_pool_handles;

// Errors: context_is_destroyed for the handle of a former context, invalid_context for null and
// anything else.
Result<Ref<device::Context>> find(CUcontext handle);
// Null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are streams of `context`; every other handle
// comes from cuStreamCreate, in any context. Errors: invalid_handle, context_is_destroyed.
Result<Ref<device::Stream>> find(CUstream handle, device::Context& context);
// Errors: invalid_handle, context_is_destroyed.
Result<Ref<device::Event>> find(CUevent handle);
// The same for a context that can be used. Measured on an H200: for a handle that a call has made,
// no context needs to be current; null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are streams of
// the current one. Errors: invalid_handle; invalid_context, context_is_destroyed, or the sticky
// error of the context.
Result<Ref<device::Stream>> find_usable(CUstream handle);
Result<Ref<device::Event>> find_usable(CUevent handle);
// Checks, before anything else, whether the context that such a handle needs is there.
Result<> check_context_for(CUstream handle);
// Errors: invalid_value for null (as measured), else invalid_handle.
Result<Ref<interop::ExternalMemory>> find(CUexternalMemory handle);
// Errors: invalid_value (as measured).
Result<Ref<device::ExternalSemaphore>> find(CUexternalSemaphore handle);

// Errors: invalid_handle.
Result<Ref<interop::GraphicsResource>> find(CUgraphicsResource handle);

// Errors: invalid_value.
Result<Ref<device::MemoryPool>> find(CUmemoryPool handle);
// Returns the pool's handle, which the first call makes; null for a destroyed pool. Errors:
// out_of_memory.
Result<CUmemoryPool> give_handle(device::MemoryPool& pool);

// Like call_in_context(), for functions that name a stream, which `body` gets.
template <typename CUresult, typename Body>
[[gnu::always_inline]] inline CUresult call_in_stream(CUstream handle, Body&& body) noexcept {
  return call<CUresult>([&]() -> Result<> { return body(*TRY(find_usable(handle))); });
}

// Finds the device of an ordinal. Errors: invalid_device.
Result<device::Device*> find_device(CUdevice device);

// Returns the context's handle; null before give_handle().
CUcontext handle_of(const device::Context& context);
// Gives the context its handle, if it has none yet; a primary context keeps the one that it had.
Result<CUcontext> give_handle(device::Context& context);

// Gives a new event its handle. Errors: out_of_memory.
Result<CUevent> give_handle(const Ref<device::Event>& event);
// Gives a handle to a resource that was just registered. Errors: out_of_memory, in which case it is
// unregistered again.
Result<CUgraphicsResource> give_handle(Ref<interop::GraphicsResource> resource);

// Ends the handles of everything that belonged to a context that is gone.
void forget_handles_of(const device::Context& context, uint64_t generation);

}  // namespace cuvette::driver
