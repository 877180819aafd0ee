// SPDX-License-Identifier: Apache-2.0
// Memory of another API or process, imported and mapped.
//
// Reference: CUDA Runtime API, "External Resource Interoperability".
#include <cstring>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/texture/channel.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t* extMem_out,
                                     const cudaExternalMemoryHandleDesc* memHandleDesc) {
  return call([&]() -> Status {
    if (extMem_out == nullptr || memHandleDesc == nullptr) return cudaErrorInvalidValue;
    // The driver refuses handles that it does not support; handles of Windows do not exist here.
    switch (memHandleDesc->type) {
      case cudaExternalMemoryHandleTypeD3D12Resource:
      case cudaExternalMemoryHandleTypeD3D11Resource:
      case cudaExternalMemoryHandleTypeD3D11ResourceKmt:
        return cudaErrorInvalidValue;
      default:
        if (memHandleDesc->type > cudaExternalMemoryHandleTypeNvSciBuf)
          return cudaErrorInvalidValue;
    }
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
    description.type = static_cast<CUexternalMemoryHandleType>(memHandleDesc->type);
    std::memcpy(&description.handle, &memHandleDesc->handle, sizeof description.handle);
    description.size = memHandleDesc->size;
    description.flags = memHandleDesc->flags;
    return DRIVER(cuImportExternalMemory)(same_layout<CUexternalMemory>(extMem_out), &description);
  });
}

cudaError_t cudaExternalMemoryGetMappedBuffer(void** devPtr, cudaExternalMemory_t extMem,
                                              const cudaExternalMemoryBufferDesc* bufferDesc) {
  return call([&]() -> Status {
    if (devPtr == nullptr || bufferDesc == nullptr) return cudaErrorInvalidValue;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
    description.offset = bufferDesc->offset;
    description.size = bufferDesc->size;
    description.flags = bufferDesc->flags;
    return DRIVER(cuExternalMemoryGetMappedBuffer)(device_pointer(devPtr), driver_memory(extMem),
                                                   &description);
  });
}

cudaError_t cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t* mipmap, cudaExternalMemory_t extMem,
    const cudaExternalMemoryMipmappedArrayDesc* mipmapDesc) {
  return call([&]() -> Status {
    if (mipmap == nullptr || mipmapDesc == nullptr) return cudaErrorInvalidValue;
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description{};
    description.offset = mipmapDesc->offset;
    CHECK(describe_array(mipmapDesc->formatDesc, mipmapDesc->extent, mipmapDesc->flags,
                         &description.arrayDesc));
    description.numLevels = mipmapDesc->numLevels;
    return DRIVER(cuExternalMemoryGetMappedMipmappedArray)(same_layout<CUmipmappedArray>(mipmap),
                                                           driver_memory(extMem), &description);
  });
}

cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem) {
  return call([&] { return DRIVER(cuDestroyExternalMemory)(driver_memory(extMem)); });
}
}
