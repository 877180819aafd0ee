// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "api/driver/asker.hpp"
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/interop/external_types.hpp"

using namespace cuvette;
using namespace cuvette::driver;

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
  return refuse(Error::invalid_value, "There is no type %d of external memory.",
                static_cast<int>(description.type));
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
      return refuse(Error::invalid_value, "External memory of no bytes.");
    TRY(check_type(*memHandleDesc));
    TRY(check_reserved(*memHandleDesc));
    auto memory =
        TRY(interop::ExternalMemory::import_fd(memHandleDesc->handle.fd, memHandleDesc->size));
    *extMem_out = TRY(give_handle(*memory));
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
    *devPtr = TRY(memory->map(asker(context), bufferDesc->offset, bufferDesc->size))->address;
    return {};
  });
}

CUresult cuDestroyExternalMemory(CUexternalMemory extMem) {
  return call<CUresult>([&]() -> Result<> {
    TRY(find(extMem));
    if (!forget_handle<interop::ExternalMemory>(extMem))
      return Error::invalid_handle;  // another thread was quicker
    return {};
  });
}

}  // extern "C"
