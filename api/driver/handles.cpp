// SPDX-License-Identifier: Apache-2.0
#include "api/driver/handles.hpp"

#include "api/driver/call.hpp"
#include "api/driver/module/module_handles.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::driver {

Result<Ref<device::Stream>> find(CUstream handle, device::Context& context) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  device::Thread& thread = device::Thread::current();
  if (handle == CU_STREAM_PER_THREAD || (number == 0 && thread.per_thread_default_stream))
    return thread.per_thread_stream(context);
  if (number == 0 || handle == CU_STREAM_LEGACY)
    return Ref<device::Stream>(&context.legacy_stream());
  return find_as<device::Stream>(handle);
}

namespace {

Result<> check_usable(const device::Context& context) {
  if (!context.alive()) return Error::context_is_destroyed;
  if (const auto error = context.returned_error()) return *error;
  return {};
}

bool of_current_context(CUstream handle) {
  return !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
}

}  // namespace

Result<> check_context_for(CUstream handle) {
  if (of_current_context(handle)) TRY(usable_context());
  return {};
}

Result<Ref<device::Stream>> find_usable(CUstream handle) {
  if (of_current_context(handle)) return find(handle, *TRY(usable_context()));
  auto stream = TRY(find_as<device::Stream>(handle));
  TRY(check_usable(stream->context()));
  return stream;
}

Result<Ref<device::Event>> find_usable(CUevent handle) {
  auto event = TRY(find(handle));
  TRY(check_usable(event->context()));
  return event;
}

Result<CUmemoryPool> give_handle(device::MemoryPool& pool) {
  if (const CUmemoryPool known = handle_of(pool)) return known;
  // Without a handle, the pool is destroyed, or no program can destroy it meanwhile.
  if (pool.destroyed()) return CUmemoryPool{};
  return give_handle<device::MemoryPool>(pool);
}

Result<CUgraphicsResource> give_handle_or_unregister(Ref<interop::GraphicsResource> resource) {
  const auto handle = give_handle(*resource);
  if (!handle.ok()) static_cast<void>(resource->unregister());
  return handle;
}

Result<device::Device*> find_device(CUdevice device) {
  auto& devices = device::Machine::get().devices();
  if (device < 0 || static_cast<size_t>(device) >= devices.size())
    return refuse(Error::invalid_device, "Device %d does not exist; there are %zu, from 0.", device,
                  devices.size());
  return devices[static_cast<size_t>(device)].get();
}

void forget_handles_of(const device::Context& context, uint64_t generation) {
  forget_array_handles_of(generation);
  forget_module_handles_of(generation);
  forget_handles_if<device::Stream>([&](const device::Stream& stream) {
    return &stream.context() == &context && stream.context_generation() == generation;
  });
  forget_handles_if<device::Event>(
      [&](const device::Event& event) { return &event.context() == &context; });
  interop::GraphicsResource::abandon(generation, {.owner = generation, .call_site = call_site()});
  forget_handles_if<interop::GraphicsResource>(
      [&](const interop::GraphicsResource& resource) { return resource.owner() == generation; });
}

}  // namespace cuvette::driver
