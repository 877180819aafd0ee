// SPDX-License-Identifier: Apache-2.0
// Memory pools, and allocations that streams order.
//
// Reference: CUDA Runtime API, "Stream Ordered Memory Allocator".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream) {
  return call_if(devPtr != nullptr, [&] {
    return DRIVER(cuMemAllocAsync)(device_pointer(devPtr), size, driver_stream(hStream));
  });
}

cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t hStream) {
  return call(
      [&] { return DRIVER(cuMemFreeAsync)(device_pointer(devPtr), driver_stream(hStream)); });
}

cudaError_t cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream) {
  return call_if(ptr != nullptr, [&] {
    return DRIVER(cuMemAllocFromPoolAsync)(device_pointer(ptr), size, memPool,
                                           driver_stream(stream));
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device) {
  return call_with_driver([&]() -> Status {
    CHECK(check_device(device));
    return DRIVER(cuDeviceGetDefaultMemPool)(memPool, device);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device) {
  // Measured: a device that does not exist is an invalid value here.
  return call_with_driver([&]() -> Status {
    if (!check_device(device).ok()) return cudaErrorInvalidValue;
    return DRIVER(cuDeviceGetMemPool)(memPool, device);
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  return call_if(memPool != nullptr, [&] { return DRIVER(cuDeviceSetMemPool)(device, memPool); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* memPool, const cudaMemPoolProps* poolProps) {
  return call_if(memPool != nullptr && poolProps != nullptr, [&]() -> Status {
    // Measured: a location that does not exist is an invalid value, regardless of the driver's
    // answer.
    const Status status = DRIVER(cuMemPoolCreate)(memPool, same_layout<CUmemPoolProps>(poolProps));
    return status.error() == cudaErrorInvalidDevice ? cudaErrorInvalidValue : status;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  return call([&] { return DRIVER(cuMemPoolDestroy)(memPool); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep) {
  return call_if(memPool != nullptr,
                 [&] { return DRIVER(cuMemPoolTrimTo)(memPool, minBytesToKeep); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return call([&] {
    return DRIVER(cuMemPoolSetAttribute)(memPool, static_cast<CUmemPool_attribute>(attr), value);
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
  return call([&] {
    return DRIVER(cuMemPoolGetAttribute)(memPool, static_cast<CUmemPool_attribute>(attr), value);
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const cudaMemAccessDesc* descList,
                                 size_t count) {
  return call([&] {
    return DRIVER(cuMemPoolSetAccess)(memPool, same_layout<CUmemAccessDesc>(descList), count);
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                 cudaMemLocation* location) {
  return call([&] {
    return DRIVER(cuMemPoolGetAccess)(same_layout<CUmemAccess_flags>(flags), memPool,
                                      same_layout<CUmemLocation>(location));
  });
}

cudaError_t cudaMemPoolExportToShareableHandle(void* shareableHandle, cudaMemPool_t memPool,
                                               cudaMemAllocationHandleType handleType,
                                               unsigned int flags) {
  return call([&] {
    return DRIVER(cuMemPoolExportToShareableHandle)(
        shareableHandle, memPool, static_cast<CUmemAllocationHandleType>(handleType), flags);
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* memPool, void* shareableHandle,
                                                 cudaMemAllocationHandleType handleType,
                                                 unsigned int flags) {
  return call([&] {
    return DRIVER(cuMemPoolImportFromShareableHandle)(
        memPool, shareableHandle, static_cast<CUmemAllocationHandleType>(handleType), flags);
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* exportData, void* ptr) {
  return call([&] {
    return DRIVER(cuMemPoolExportPointer)(same_layout<CUmemPoolPtrExportData>(exportData),
                                          device_pointer(ptr));
  });
}

cudaError_t cudaMemPoolImportPointer(void** ptr, cudaMemPool_t memPool,
                                     cudaMemPoolPtrExportData* exportData) {
  return call([&] {
    return DRIVER(cuMemPoolImportPointer)(device_pointer(ptr), memPool,
                                          same_layout<CUmemPoolPtrExportData>(exportData));
  });
}
}
