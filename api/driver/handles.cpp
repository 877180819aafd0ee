// SPDX-License-Identifier: Apache-2.0
#include "api/driver/handles.hpp"

#include "api/driver/array_handles.hpp"
#include "api/driver/call.hpp"
#include "api/driver/kept_handles.hpp"
#include "api/driver/module_handles.hpp"
#include "sim/device/machine.hpp"
#include "sim/device/thread.hpp"

namespace cuvette::driver {

constinit HandleTable<device::Context> context_handles(1);
constinit HandleTable<device::Stream> stream_handles(2);
constinit HandleTable<device::Event> event_handles(3);
constinit HandleTable<interop::ExternalMemory> external_memory_handles(4);
constinit HandleTable<interop::GraphicsResource> graphics_handles(5);
constinit HandleTable<device::ExternalSemaphore> external_semaphore_handles(6);
constinit HandleTable<device::MemoryPool> memory_pool_handles(0);

Result<Ref<device::Context>> find(CUcontext handle) {
  if (auto context = context_handles.find(reinterpret_cast<uintptr_t>(handle))) return context;
  if (context_handles.ended(reinterpret_cast<uintptr_t>(handle)))
    return Error::context_is_destroyed;
  return refuse(Error::invalid_context, "%p is not a live context.", static_cast<void*>(handle));
}

Result<Ref<device::Stream>> find(CUstream handle, device::Context& context) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  device::Thread& thread = device::Thread::current();
  if (handle == CU_STREAM_PER_THREAD || (number == 0 && thread.per_thread_default_stream))
    return thread.per_thread_stream(context);
  if (number == 0 || handle == CU_STREAM_LEGACY)
    return Ref<device::Stream>(&context.legacy_stream());
  return find_in(stream_handles, handle, "stream");
}

Result<Ref<device::Event>> find(CUevent handle) { return find_in(event_handles, handle, "event"); }

namespace {

Result<> check_usable(const device::Context& context) {
  if (!context.alive()) return Error::context_is_destroyed;
  if (const auto error = context.error()) return *error;
  return {};
}

bool of_current_context(CUstream handle) {
  return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

}  // namespace

Result<> check_context_for(CUstream handle) {
  if (of_current_context(handle)) TRY(detail::usable_context());
  return {};
}

Result<Ref<device::Stream>> find_usable(CUstream handle) {
  if (of_current_context(handle)) return find(handle, *TRY(detail::usable_context()));
  auto stream = TRY(find_in(stream_handles, handle, "stream"));
  TRY(check_usable(stream->context()));
  return stream;
}

Result<Ref<device::Event>> find_usable(CUevent handle) {
  auto event = TRY(find(handle));
  TRY(check_usable(event->context()));
  return event;
}

Result<Ref<interop::ExternalMemory>> find(CUexternalMemory handle) {
  if (!handle) return refuse(Error::invalid_value, "The external memory is a null handle.");
  return find_in(external_memory_handles, handle, "external memory object");
}

Result<Ref<device::ExternalSemaphore>> find(CUexternalSemaphore handle) {
  if (auto semaphore = external_semaphore_handles.find(reinterpret_cast<uintptr_t>(handle)))
    return semaphore;
  return refuse(Error::invalid_value, "%p is not a live external semaphore.",
                static_cast<void*>(handle));
}

Result<Ref<interop::GraphicsResource>> find(CUgraphicsResource handle) {
  return find_in(graphics_handles, handle, "registered graphics resource");
}

Result<Ref<device::MemoryPool>> find(CUmemoryPool handle) {
  if (auto pool = memory_pool_handles.find(reinterpret_cast<uintptr_t>(handle))) return pool;
  return refuse(Error::invalid_value, "%p is not a live memory pool.", static_cast<void*>(handle));
}

Result<CUmemoryPool> give_handle(device::MemoryPool& pool) {
  static constinit Mutex mutex;
  MutexLock lock(mutex);
  uintptr_t handle = pool.handle.load(std::memory_order_acquire);
  if (handle == 0 && !pool.destroyed()) {
    handle = TRY(memory_pool_handles.insert(Ref<device::MemoryPool>(&pool)));
    pool.handle.store(handle, std::memory_order_release);
  }
  return reinterpret_cast<CUmemoryPool>(handle);
}

Result<device::Device*> find_device(CUdevice device) {
  auto& devices = device::Machine::get().devices();
  if (device < 0 || static_cast<size_t>(device) >= devices.size())
    return refuse(Error::invalid_device, "Device %d does not exist; there are %zu, from 0.", device,
                  devices.size());
  return devices[static_cast<size_t>(device)].get();
}

CUcontext handle_of(const device::Context& context) {
  return reinterpret_cast<CUcontext>(context.handle.load(std::memory_order_acquire));
}

Result<CUcontext> give_handle(device::Context& context) {
  static constinit Mutex mutex;
  MutexLock lock(mutex);
  if (!handle_of(context)) {
    const uintptr_t handle = TRY(context_handles.insert(Ref<device::Context>(&context)));
    context.handle.store(handle, std::memory_order_release);
  }
  return handle_of(context);
}

Result<CUevent> give_handle(const Ref<device::Event>& event) {
  // Once it is in the table, whoever destroys the context may release it.
  const uintptr_t handle = TRY(event_handles.insert(event));
  event->handle.store(handle, std::memory_order_release);
  return reinterpret_cast<CUevent>(handle);
}

Result<CUgraphicsResource> give_handle(Ref<interop::GraphicsResource> resource) {
  const auto handle = graphics_handles.insert(resource);
  if (handle.ok()) return reinterpret_cast<CUgraphicsResource>(handle.value());
  static_cast<void>(resource->unregister());
  return handle.error();
}

void forget_handles_of(const device::Context& context, uint64_t generation) {
  forget_array_handles_of(generation);
  forget_module_handles_of(generation);
  stream_handles.remove_if([&](const device::Stream& stream) {
    return &stream.context() == &context && stream.context_generation() == generation;
  });
  event_handles.remove_if([&](const device::Event& event) { return &event.context() == &context; });
  interop::GraphicsResource::abandon(generation, {.owner = generation, .call_site = call_site()});
  graphics_handles.remove_if(
      [&](const interop::GraphicsResource& resource) { return resource.owner() == generation; });
}

}  // namespace cuvette::driver
