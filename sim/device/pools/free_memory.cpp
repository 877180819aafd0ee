// SPDX-License-Identifier: Apache-2.0
#include "sim/device/pools/free_memory.hpp"

#include "sim/device/machine/machine.hpp"
#include "sim/device/pools/memory_pool.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/freed.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::device {
namespace {

using memory::Allocation;
using memory::AllocationKind;

void wait_for_owner(const Allocation& memory) {
  if (const Ref<Context> owner = Context::of_generation(memory.owner)) owner->wait_for_submitted();
}

// Waits for the work of the thread's context, which may touch the memory; so does the driver in
// cuMemFree.
void wait_for_current(const Allocation& memory) {
  Context* const current = Thread::current().context();
  if (current && current->alive() && current->generation() != memory.owner)
    current->wait_for_submitted();
}

// After such waits, which may have met a fault.
Result<> check_current() {
  if (Context* const current = Thread::current().context())
    if (const auto error = current->tell_error()) return *error;
  return {};
}

// Checks that cuMemFree frees such memory.
Result<> check_freed_as_device(const Allocation& memory) {
  const auto address = static_cast<unsigned long long>(memory.address);
  const auto refused = [&](const char* why) {
    return refuse(Error::invalid_value, "0x%llx %s", address, why);
  };
  switch (memory.kind) {
    case AllocationKind::device:
    case AllocationKind::external:
    case AllocationKind::pool:
    case AllocationKind::imported:
      return {};
    case AllocationKind::managed:
      if (memory.name.empty()) return {};
      [[fallthrough]];
    case AllocationKind::variable:
      return refuse(Error::invalid_value, "0x%llx is a module's variable '%s'.", address,
                    memory.name.c_str());
    case AllocationKind::reserve:
      return Error::invalid_value;  // no program has such an address
    case AllocationKind::array:
    case AllocationKind::external_array:
      return refused("is in an array: free it with cuArrayDestroy.");
    case AllocationKind::mapping:
      return refused("is mapped memory: unmap it with cuMemUnmap.");
    case AllocationKind::shared:
      return refused("is another process's memory: close it with cuIpcCloseMemHandle.");
    case AllocationKind::graphics:
      return refused("is graphics memory: unmap it with cuGraphicsUnmapResources.");
    case AllocationKind::pinned:
    case AllocationKind::registered:
      return refused(
          "is host memory: free it with cuMemFreeHost, or unregister it with cuMemHostUnregister.");
  }
  return Error::invalid_value;
}

}  // namespace

Result<> free_as_device(const Ref<Allocation>& memory) {
  TRY(check_freed_as_device(*memory));
  if (memory->kind == AllocationKind::pool) return MemoryPool::free(memory);
  wait_for_owner(*memory);
  wait_for_current(*memory);
  Context::wait_for_users(*memory);
  if (memory->kind == AllocationKind::imported) return MemoryPool::free(memory);
  TRY(check_current());
  note_freed(*memory);
  return Machine::get().memory().free(memory);
}

Result<> free_in_stream(const Ref<Allocation>& memory, Stream& stream, const void* call_site) {
  const auto address = static_cast<unsigned long long>(memory->address);
  switch (memory->kind) {
    case AllocationKind::device:
    case AllocationKind::pool:
    case AllocationKind::imported:
      return MemoryPool::free(memory, stream, call_site);
    case AllocationKind::external:  // measured
    case AllocationKind::managed:
    case AllocationKind::shared:
      return refuse(Error::not_supported, "0x%llx can only be freed with cuMemFree.", address);
    case AllocationKind::graphics:
    case AllocationKind::pinned:
    case AllocationKind::registered:
    case AllocationKind::array:
    case AllocationKind::external_array:
    case AllocationKind::reserve:
    case AllocationKind::variable:
    case AllocationKind::mapping:
      break;
  }
  return refuse(Error::invalid_value, "0x%llx was not returned by cuMemAllocAsync or cuMemAlloc.",
                address);
}

Result<> free_as_host(const Ref<Allocation>& memory) {
  wait_for_owner(*memory);
  Context::wait_for_users(*memory);
  TRY(check_current());
  note_freed(*memory);
  return Machine::get().memory().free(memory);
}

}  // namespace cuvette::device
