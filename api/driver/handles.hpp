// SPDX-License-Identifier: Apache-2.0
// The C API's handles: which tables there are, and how a handle becomes an object.
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

// Errors: context_is_destroyed for what was a context, invalid_context for null and anything else.
Result<Ref<device::Context>> find(CUcontext handle);
// Null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are streams of `context`; every other handle is
// what cuStreamCreate gave, of whatever context. Errors: invalid_handle, context_is_destroyed.
Result<Ref<device::Stream>> find(CUstream handle, device::Context& context);
// Errors: invalid_handle, context_is_destroyed.
Result<Ref<device::Event>> find(CUevent handle);
// The same of a context that can be used. Measured on an H200: for a handle that was made no
// context needs to be current; null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are streams of the
// current one. Errors: invalid_handle; invalid_context, context_is_destroyed, or the error that
// stays in the context.
Result<Ref<device::Stream>> find_usable(CUstream handle);
Result<Ref<device::Event>> find_usable(CUevent handle);
// Whether the context that such a handle asks for is there, before anything else is looked at.
Result<> check_context_for(CUstream handle);
// Errors: invalid_value for null (as measured), else invalid_handle.
Result<Ref<interop::ExternalMemory>> find(CUexternalMemory handle);
// Errors: invalid_value (as measured).
Result<Ref<device::ExternalSemaphore>> find(CUexternalSemaphore handle);

// Errors: invalid_handle.
Result<Ref<interop::GraphicsResource>> find(CUgraphicsResource handle);

// Errors: invalid_value.
Result<Ref<device::MemoryPool>> find(CUmemoryPool handle);
// The pool's handle, made at the first call; null for one that is destroyed. Errors: out_of_memory.
Result<CUmemoryPool> give_handle(device::MemoryPool& pool);

// As call_in_context(), for what names a stream: `body` gets it.
template <typename CUresult, typename Body>
[[gnu::always_inline]] inline CUresult call_in_stream(CUstream handle, Body&& body) noexcept {
  return call<CUresult>([&]() -> Result<> { return body(*TRY(find_usable(handle))); });
}

// The device of an ordinal. Errors: invalid_device.
Result<device::Device*> find_device(CUdevice device);

// The context's handle; 0 before give_handle().
CUcontext handle_of(const device::Context& context);
// Gives the context its handle, if it has none yet: a primary context keeps the one it had.
Result<CUcontext> give_handle(device::Context& context);

// The handle of a new event. Errors: out_of_memory.
Result<CUevent> give_handle(const Ref<device::Event>& event);
// The handle of a resource that was registered a moment ago. Errors: out_of_memory; then it is
// unregistered again.
Result<CUgraphicsResource> give_handle(Ref<interop::GraphicsResource> resource);

// A context is gone: so are the handles of all that belonged to it.
void forget_handles_of(const device::Context& context, uint64_t generation);

}  // namespace cuvette::driver
