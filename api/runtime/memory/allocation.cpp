// SPDX-License-Identifier: Apache-2.0
// Device memory: allocations, what is free, and what a pointer points to.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {
// Allocates rows with the pitch that the device prefers. Zero bytes are not an error.
Status allocate_rows(void** pointer, size_t* pitch, size_t width, size_t rows) {
  if (width == 0 || rows == 0) {
    *pointer = nullptr;
    *pitch = 0;
    return {};
  }
  // The largest element size, so that rows may be read in elements of any size.
  return DRIVER(cuMemAllocPitch)(device_pointer(pointer), pitch, width, rows, 16);
}
}  // namespace

extern "C" {

// For 0 bytes nothing is allocated, which is not an error.
cudaError_t cudaMalloc(void** devPtr, size_t size) {
  return call_if(devPtr != nullptr, [&]() -> Status {
    if (size == 0) {
      *devPtr = nullptr;
      return {};
    }
    return DRIVER(cuMemAlloc)(device_pointer(devPtr), size);
  });
}

cudaError_t cudaFree(void* devPtr) {
  return call([&] { return DRIVER(cuMemFree)(device_pointer(devPtr)); });
}

cudaError_t cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height) {
  return call_if(devPtr != nullptr && pitch != nullptr,
                 [&] { return allocate_rows(devPtr, pitch, width, height); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
  return call_if(pitchedDevPtr != nullptr, [&]() -> Status {
    void* pointer = nullptr;
    size_t pitch = 0;
    CHECK(allocate_rows(&pointer, &pitch, extent.width, extent.height * extent.depth));
    *pitchedDevPtr = {pointer, pitch, extent.width, extent.height};
    return {};
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call([&] { return DRIVER(cuMemGetInfo)(free, total); });
}

// Memory that CUDA does not know is not an error: the answer is cudaMemoryTypeUnregistered, device
// -2.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* ptr) {
  return call_with_driver([&]() -> Status {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->device = -2;
    if (ptr == nullptr) return {};
    int device = 0;
    CUmemorytype type{};
    int managed = 0;
    CUdeviceptr on_device = 0;
    void* on_host = nullptr;
    CUpointer_attribute asked[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER};
    void* answers[] = {&type, &managed, &device, &on_device, &on_host};
    CHECK(DRIVER(cuPointerGetAttributes)(5, asked, answers, device_pointer(ptr)));
    if (type == 0) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->hostPointer = const_cast<void*>(ptr);
      return {};
    }
    attributes->device = device;
    attributes->type = managed                      ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                    : cudaMemoryTypeDevice;
    attributes->devicePointer = reinterpret_cast<void*>(on_device);
    attributes->hostPointer = on_host;
    return {};
  });
}
}
