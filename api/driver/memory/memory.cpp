// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/refused_argument.hpp"
#include "api/driver/requester.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/graph/graph_memory.hpp"
#include "sim/device/pools/free_memory.hpp"
#include "sim/device/stream/peer_access.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::address_space;
using memory::AllocationKind;

namespace {

// Returns what is free on the context's device, less what contexts take on the real one.
memory::AddressSpace::Usage usable(const device::Context& context) {
  auto usage = address_space().usage(context.device().ordinal());
  usage.free -= std::min(usage.free, context.device().context_memory(usage.total));
  return usage;
}

Result<CUdeviceptr> allocate(size_t size, device::Context& context) {
  size_t free = usable(context).free;
  if (size > free && address_space().wait_for_frees()) free = usable(context).free;
  if (size > free)
    return refuse(Error::out_of_memory, "%zu bytes are more than the device has free (%zu).", size,
                  free);
  return TRY(address_space().allocate(size, requester(context)))->address;
}

// Returns how far the rows of an allocation with a pitch are apart. Errors: invalid_value.
Result<size_t> pitch_of(size_t width, size_t height, unsigned element,
                        const device::Context& context) {
  // "ElementSizeBytes may be 4, 8, or 16".
  if (element != 4 && element != 8 && element != 16)
    return refuse(Error::invalid_value, "The element size is %u bytes; it must be 4, 8 or 16.",
                  element);
  if (width == 0 || height == 0)
    return refuse(Error::invalid_value, "%zu bytes by %zu rows is an empty allocation.", width,
                  height);
  const auto granule = context.device().profile().amount(device::Attribute::TEXTURE_ALIGNMENT);
  size_t pitch;
  if (__builtin_add_overflow(width, granule - 1, &pitch) || pitch > UINT32_MAX)
    return refuse(Error::invalid_value, "Rows of %zu bytes are longer than the largest pitch.",
                  width);
  return pitch - pitch % granule;
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto usage = usable(context);
    if (free) {
      // The machine may have less memory than the device, and clients that take a share of what is
      // free must be able to use it.
      const size_t machine = address_space().machine_gives();
      *free = std::min(usage.free, machine - std::min(machine, usage.used));
    }
    if (total) *total = usage.total;
    return {};
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* dptr, size_t bytesize) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!dptr) return Error::invalid_value;
    TRY(device::Capture::refuse_unsafe_call());  // measured: dptr keeps its value
    *dptr = 0;
    // "If bytesize is 0, cuMemAlloc() returns CUDA_ERROR_INVALID_VALUE."
    if (bytesize == 0)
      return refuse(Error::invalid_value, "An allocation of 0 bytes has no address.");
    *dptr = TRY(allocate(bytesize, context));
    return {};
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!dptr || !pPitch) return Error::invalid_value;
    TRY(device::Capture::refuse_unsafe_call());
    *dptr = 0;
    *pPitch = 0;
    const size_t pitch = TRY(pitch_of(WidthInBytes, Height, ElementSizeBytes, context));
    size_t size;
    if (__builtin_mul_overflow(pitch, Height, &size)) return Error::out_of_memory;
    *dptr = TRY(allocate(size, context));
    *pPitch = pitch;
    return {};
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!dptr) return Error::invalid_value;
    TRY(device::Capture::refuse_unsafe_call());  // measured: dptr keeps its value
    *dptr = 0;
    if (bytesize == 0)
      return refuse(Error::invalid_value, "An allocation of 0 bytes has no address.");
    // "The flags parameter must be one of CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST."
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
      return refuse(Error::invalid_value, "Flags 0x%x are neither CU_MEM_ATTACH_GLOBAL nor _HOST.",
                    flags);
    *dptr = TRY(address_space().allocate_host(AllocationKind::managed, bytesize, flags,
                                              requester(context)))
                ->address;
    return {};
  });
}

CUresult cuMemFree_v2(CUdeviceptr dptr) {
  return call<CUresult>([&]() -> Result<> {
    // Measured: this needs no context, but if one is current it must be usable; null is not an
    // error.
    if (device::Thread::current().context()) TRY(usable_context());
    TRY(device::Capture::refuse_unsafe_call());
    if (dptr == 0) return {};
    note_refused(check::RefusedAddress{dptr, AllocationKind::device});
    const auto allocation = address_space().find(dptr);
    if (!allocation || allocation->address != dptr)
      return refuse(Error::invalid_value, "0x%llx is not the address of a live allocation.", dptr);
    // "cudaFree or cudaFreeAsync" may free what a graph has allocated and not freed.
    if (device::GraphMemory::known(dptr)) return device::GraphMemory::free(dptr, call_site());
    return device::free_as_device(allocation);
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr) {
  // Measured: if nothing is asked for, nothing is checked.
  if (!pbase && !psize) return CUDA_SUCCESS;
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto allocation = address_space().find(dptr);
    // Measured: another device's memory is not found either if the context has no access to it.
    if (!allocation || !device::may_access(context, *allocation))
      return refuse(Error::not_found, "0x%llx is not inside a live allocation.", dptr);
    if (pbase) *pbase = allocation->address;
    if (psize) *psize = allocation->size;
    return {};
  });
}

}  // extern "C"
