// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/refused_argument.hpp"
#include "api/driver/requester.hpp"
#include "sim/base/config.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/pools/free_memory.hpp"
#include "sim/os/page.hpp"
#include "sim/os/process.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::address_space;
using memory::AllocationKind;

namespace {

memory::DevicePtr address_of(const void* pointer) {
  return reinterpret_cast<memory::DevicePtr>(pointer);
}

// Finds the host allocation (pinned or registered) that holds `pointer`. Errors: invalid_value.
Result<Ref<memory::Allocation>> find_host(const void* pointer) {
  auto allocation = address_space().find(address_of(pointer));
  if (allocation && (allocation->kind == AllocationKind::pinned ||
                     allocation->kind == AllocationKind::registered))
    return allocation;
  return refuse(Error::invalid_value, "%p is not inside pinned or registered host memory.",
                pointer);
}

// Finds the mapping of cuMemMap that holds `pointer`, or null.
Ref<memory::Allocation> find_mapping(const void* pointer) {
  auto allocation = address_space().find(address_of(pointer));
  return allocation && allocation->kind == AllocationKind::mapping ? allocation : nullptr;
}

Result<> allocate(void** pp, size_t size, unsigned flags, device::Context& context) {
  if (!pp) return Error::invalid_value;
  *pp = nullptr;
  // Measured: asking for nothing succeeds and gives nothing.
  if (size == 0) return {};
  TRY(device::Capture::refuse_unsafe_call());
  const auto allocation =
      TRY(address_space().allocate_host(AllocationKind::pinned, size, flags, requester(context)));
  *pp = memory::host_pointer(allocation->address);
  return {};
}

Result<> check_register_flags(const void* p, unsigned flags, const device::Context& context) {
  constexpr unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                             CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  if (flags & ~known)
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_MEMHOSTREGISTER_* (0x%x).",
                  flags, known);
  // "If used on a device without CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED ...".
  if ((flags & CU_MEMHOSTREGISTER_READ_ONLY) &&
      !context.device().profile().value(device::Attribute::READ_ONLY_HOST_REGISTER_SUPPORTED))
    return refuse(Error::not_supported, "This device does not support read-only host memory.");
  // Measured for memory that belongs to no other device, as all memory here.
  if (flags & CU_MEMHOSTREGISTER_IOMEMORY)
    return refuse(Error::invalid_value, "%p is not memory of another device.", p);
  return {};
}

}  // namespace

extern "C" {

// "Allocates page-locked host memory that is accessible to the device", mapped on every device that
// has unified addressing.
CUresult cuMemAllocHost_v2(void** pp, size_t bytesize) {
  return call_in_context<CUresult>([&](device::Context& context) {
    return allocate(pp, bytesize, CU_MEMHOSTALLOC_DEVICEMAP, context);
  });
}

CUresult cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    constexpr unsigned known =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (pp) *pp = nullptr;
    if (Flags & ~known)
      return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CU_MEMHOSTALLOC_* (0x%x).",
                    Flags, known);
    return allocate(pp, bytesize, Flags | CU_MEMHOSTALLOC_DEVICEMAP, context);
  });
}

CUresult cuMemFreeHost(void* p) {
  return call<CUresult>([&]() -> Result<> {
    // Measured: this needs no context, but if one is current it must be usable.
    if (device::Thread::current().context()) TRY(usable_context());
    TRY(device::Capture::refuse_unsafe_call());
    if (!p) return {};
    const auto allocation = address_space().find(address_of(p));
    note_refused(check::RefusedAddress{address_of(p), AllocationKind::pinned});
    // Measured: managed memory may be freed here, too.
    if (!allocation || allocation->address != address_of(p) ||
        (allocation->kind != AllocationKind::pinned && allocation->kind != AllocationKind::managed))
      return refuse(Error::invalid_value,
                    "%p was not returned by cuMemAllocHost or cuMemHostAlloc.", p);
    return device::free_as_host(allocation);
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pdptr, void* p, unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    // "Flags provides for future releases. For now, it must be set to 0."
    if (!pdptr || Flags != 0) return Error::invalid_value;
    // "the mapped, pinned host buffer p allocated by cuMemHostAlloc". Measured: for memory of
    // cuMemMap the driver returns where its mapping begins.
    if (follows_driver())
      if (const auto mapping = find_mapping(p)) {
        *pdptr = mapping->address;
        return {};
      }
    TRY(find_host(p));
    // With unified addressing, devices use the host's address.
    *pdptr = address_of(p);
    return {};
  });
}

CUresult cuMemHostGetFlags(unsigned int* pFlags, void* p) {
  return call<CUresult>([&]() -> Result<> {
    if (!pFlags) return Error::invalid_value;
    TRY(usable_context());
    const auto allocation = address_space().find(address_of(p));
    // "cuMemHostGetFlags() will fail if the pointer does not reside in an allocation performed by
    // cuMemAllocHost() or cuMemHostAlloc()." Measured: not for memory of cuMemMap.
    if (follows_driver() && find_mapping(p)) {
      *pFlags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
      return {};
    }
    if (!allocation || !allocation->host_accessible() ||
        allocation->pool_memory == memory::PoolMemory::host)
      return refuse(Error::invalid_value, "%p is not inside host memory that a device can reach.",
                    p);
    // Measured: which memory reports which flags.
    switch (allocation->kind) {
      case AllocationKind::pinned:
        *pFlags = allocation->flags;
        // "Passes back the flags that were specified when allocating". Measured: true of 64 KiB,
        // but 64 bytes do not remember PORTABLE. We take allocations that share a page for the
        // exception.
        if (allocation->size < os::page_size()) *pFlags &= ~CU_MEMHOSTALLOC_PORTABLE;
        break;
      case AllocationKind::registered:
        *pFlags = allocation->flags & (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
        break;
      default:
        *pFlags = CU_MEMHOSTALLOC_DEVICEMAP;
    }
    return {};
  });
}

CUresult cuMemHostRegister_v2(void* p, size_t bytesize, unsigned int Flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    TRY(device::Capture::refuse_unsafe_call());
    if (!p || bytesize == 0)
      return refuse(Error::invalid_value, "%zu bytes at %p cannot be registered.", bytesize, p);
    TRY(check_register_flags(p, Flags, context));
    if (const auto known_as = address_space().find(address_of(p));
        known_as && known_as->kind != AllocationKind::registered)
      return refuse(Error::invalid_value, "%p is memory that CUDA allocated.", p);
    const bool writable = !(Flags & CU_MEMHOSTREGISTER_READ_ONLY);
    if (!os::accessible(address_of(p), bytesize, writable))
      return refuse(Error::invalid_value, "%zu bytes at %p are not all %s memory of the program.",
                    bytesize, p, writable ? "writable" : "readable");
    TRY(address_space().register_host(address_of(p), bytesize, Flags | CU_MEMHOSTREGISTER_DEVICEMAP,
                                      requester(context)));
    return {};
  });
}

CUresult cuMemHostUnregister(void* p) {
  return call<CUresult>([&]() -> Result<> {
    // Measured: this needs no context, but if one is current it must be usable.
    if (device::Thread::current().context()) TRY(usable_context());
    if (!p) return Error::invalid_value;
    TRY(device::Capture::refuse_unsafe_call());
    const auto allocation = address_space().find(address_of(p));
    note_refused(check::RefusedAddress{address_of(p), AllocationKind::registered},
                 allocation ? Error::invalid_value : Error::host_memory_not_registered);
    if (!allocation) return refuse(Error::host_memory_not_registered, "%p is not registered.", p);
    if (allocation->kind != AllocationKind::registered)
      return refuse(Error::invalid_value, "%p is memory that CUDA allocated, not registered.", p);
    if (allocation->address != address_of(p))
      return refuse(Error::invalid_value, "%p is inside a registered range that begins at 0x%llx.",
                    p, static_cast<unsigned long long>(allocation->address));
    return device::free_as_host(allocation);
  });
}

// The same function under its name without a version; its signature never changed.
CUresult cuMemHostRegister(void*, size_t, unsigned int)
    __attribute__((alias("cuMemHostRegister_v2")));

}  // extern "C"
