// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/external_types.hpp"
#include "api/driver/requester.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/check/api/leaks.hpp"
#include "sim/check/api/taken_descriptors.hpp"
#include "sim/check/order/external_uses.hpp"
#include "sim/device/stream/array.hpp"
#include "sim/interop/external/memory_descriptor.hpp"
#include "sim/os/page.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using check::Holding;

namespace {

// Checks which kinds of handle can be imported at all. Measured: a kind of another system gives
// invalid_value if the handle is null, and not_supported with anything else in the union.
Result<> check_type(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC& description) {
  switch (description.type) {
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD:
      return {};
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT:
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF:
      if (!description.handle.win32.handle && !description.handle.win32.name)
        return refuse(Error::invalid_value, "The handle to import is null.");
      return refuse(Error::not_supported, "Memory of type %d does not exist on this system.",
                    static_cast<int>(description.type));
    case CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD:
      return refuse(Error::not_supported,
                    "dma-buf descriptors are for Tegra; on a discrete GPU the "
                    "driver refuses them, too.");
  }
  return refuse(Error::invalid_value, "%d is not a type of external memory.",
                static_cast<int>(description.type));
}

Result<> check_image(device::ArrayDescriptor descriptor, unsigned levels,
                     const device::Context& context) {
  // "CUDA_ARRAY3D_COLOR_ATTACHMENT must be specified if the mipmapped array is bound as a color
  // target in the graphics API": only such arrays may have it.
  descriptor.flags &= ~device::array_flag::color_attachment;
  // Measured.
  if (descriptor.has(device::array_flag::sparse | device::array_flag::deferred_mapping))
    return refuse(
        Error::invalid_value,
        "Flags 0x%x ask for an array without memory, but arrays of external memory have memory.",
        descriptor.flags);
  const device::FormatFacts* const format = device::facts(descriptor.format);
  if (format && format->planar())
    return refuse(Error::not_supported,
                  "Arrays with planes over external memory are not implemented (format %s): map "
                  "each plane as an array.",
                  format->name);
  TRY(device::check_array(descriptor, device::array_limits(context.device().profile()),
                          levels > 1));
  if (levels == 0 || levels > descriptor.most_levels())
    return refuse(Error::invalid_value, "An array of %zu x %zu x %zu cannot have %u levels.",
                  descriptor.width, descriptor.height, descriptor.depth, levels);
  return {};
}

}  // namespace

extern "C" {

CUresult cuImportExternalMemory(CUexternalMemory* extMem_out,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* memHandleDesc) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!extMem_out || !memHandleDesc) return Error::invalid_value;
    if (memHandleDesc->flags & ~static_cast<unsigned>(CUDA_EXTERNAL_MEMORY_DEDICATED))
      return refuse(Error::invalid_value,
                    "Flags 0x%x have bits beyond CUDA_EXTERNAL_MEMORY_DEDICATED.",
                    memHandleDesc->flags);
    if (memHandleDesc->size == 0)
      return refuse(
          Error::invalid_value,
          "The size of the memory to import is 0: pass the size of the exporter's allocation.");
    TRY(check_type(*memHandleDesc));
    TRY(check_reserved(*memHandleDesc));
    auto* const descriptors = check::TakenDescriptors::get();
    if (descriptors) descriptors->given(memHandleDesc->handle.fd);
    auto memory = TRY(
        interop::ExternalMemory::import_fd(memHandleDesc->handle.fd, memHandleDesc->size,
                                           memHandleDesc->flags == CUDA_EXTERNAL_MEMORY_DEDICATED));
    if (descriptors) descriptors->taken(memHandleDesc->handle.fd);
    *extMem_out = TRY(give_handle(*memory));
    if (auto* const leaks = check::Leaks::get())
      leaks->holds(Holding::external_memory, reinterpret_cast<uintptr_t>(*extMem_out),
                   memHandleDesc->size);
    return {};
  });
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr* devPtr, CUexternalMemory extMem,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* bufferDesc) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!devPtr || !bufferDesc) return Error::invalid_value;
    const auto memory = TRY(find(extMem));
    TRY(check_reserved(*bufferDesc));
    // "flags must be zero."
    if (bufferDesc->flags != 0)
      return refuse(Error::invalid_value, "Flags 0x%x of a mapped buffer must be 0.",
                    bufferDesc->flags);
    *devPtr = TRY(memory->map(requester(context), bufferDesc->offset, bufferDesc->size))->address;
    return {};
  });
}

CUresult cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray* mipmap, CUexternalMemory extMem,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* mipmapDesc) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    if (!mipmap || !mipmapDesc) return Error::invalid_value;
    const auto memory = TRY(find(extMem));
    TRY(check_reserved(*mipmapDesc));
    const device::ArrayDescriptor descriptor = descriptor_of(mipmapDesc->arrayDesc);
    TRY(check_image(descriptor, mipmapDesc->numLevels, context));
    const auto arrays = TRY(memory->map_arrays(requester(context), descriptor,
                                               mipmapDesc->numLevels, mipmapDesc->offset));
    *mipmap = TRY(give_handle(*arrays));
    return {};
  });
}

CUresult cuDestroyExternalMemory(CUexternalMemory extMem) {
  return call<CUresult>([&]() -> Result<> {
    const Ref<interop::ExternalMemory> memory = TRY(find(extMem));
    if (!forget_handle<interop::ExternalMemory>(extMem))
      return Error::invalid_handle;  // another thread was quicker
    if (auto* const uses = check::ExternalUses::get()) uses->destroyed(memory->segment());
    if (auto* const descriptors = check::TakenDescriptors::get()) descriptors->look();
    if (auto* const leaks = check::Leaks::get())
      leaks->gives_back(Holding::external_memory, reinterpret_cast<uintptr_t>(extMem));
    return {};
  });
}

// Measured: which arguments are looked at before the descriptor is set to -1.
CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr dptr, size_t size,
                                       CUmemRangeHandleType handleType, unsigned long long flags) {
  return call_in_context<CUresult>([&](device::Context&) -> Result<> {
    if (!handle || dptr == 0 || size == 0) return Error::invalid_value;
    // "Users must ensure that the address range is aligned to the host page size."
    if (const size_t page = os::page_size(); dptr % page != 0 || size % page != 0)
      return refuse(Error::invalid_value,
                    "Address 0x%llx and size %zu must be multiples of a page, %zu bytes.", dptr,
                    size, page);
    if (handleType != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD)
      return refuse(Error::invalid_value, "%d is not a handle type.", static_cast<int>(handleType));
    constexpr unsigned long long by_pcie = CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE;
    if (flags != 0 && !(flags & by_pcie))
      return refuse(Error::invalid_value, "Flags 0x%llx are not valid.", flags);
    int& fd = *static_cast<int*>(handle);
    fd = -1;
    if (flags & by_pcie)
      return refuse(Error::not_supported,
                    "The memory of a software device cannot be mapped over PCIe.");
    fd = TRY(interop::descriptor_of_memory(dptr, size));
    return {};
  });
}

}  // extern "C"
