// SPDX-License-Identifier: Apache-2.0
// Where pages of managed memory should be, as CUDA 13 names the places.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaMemAdvise(const void* devPtr, size_t count, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return call([&] {
    return DRIVER(cuMemAdvise)(device_pointer(devPtr), count, static_cast<CUmem_advise>(advice),
                               *same_layout<CUmemLocation>(&location));
  });
}

cudaError_t cudaMemPrefetchAsync(const void* devPtr, size_t count, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemPrefetchAsync)(device_pointer(devPtr), count,
                                      *same_layout<CUmemLocation>(&location), flags,
                                      driver_stream(stream));
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                      cudaMemLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemPrefetchBatchAsync)(
        same_layout<CUdeviceptr>(dptrs), sizes, count, same_layout<CUmemLocation>(prefetchLocs),
        prefetchLocIdxs, numPrefetchLocs, flags, driver_stream(stream));
  });
}

cudaError_t cudaMemDiscardBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemDiscardBatchAsync)(same_layout<CUdeviceptr>(dptrs), sizes, count, flags,
                                          driver_stream(stream));
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                                cudaMemLocation* prefetchLocs,
                                                size_t* prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemDiscardAndPrefetchBatchAsync)(
        same_layout<CUdeviceptr>(dptrs), sizes, count, same_layout<CUmemLocation>(prefetchLocs),
        prefetchLocIdxs, numPrefetchLocs, flags, driver_stream(stream));
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* memPool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return call_with_driver([&] {
    return DRIVER(cuMemGetDefaultMemPool)(memPool, same_layout<CUmemLocation>(location),
                                          static_cast<CUmemAllocationType>(type));
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* memPool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
  return call_with_driver([&] {
    return DRIVER(cuMemGetMemPool)(memPool, same_layout<CUmemLocation>(location),
                                   static_cast<CUmemAllocationType>(type));
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type,
                              cudaMemPool_t memPool) {
  return call_with_driver([&] {
    return DRIVER(cuMemSetMemPool)(same_layout<CUmemLocation>(location),
                                   static_cast<CUmemAllocationType>(type), memPool);
  });
}
}
