// SPDX-License-Identifier: Apache-2.0
// The pools that belong to places.
//
// Reference: CUDA Runtime API, "Stream Ordered Memory Allocator".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

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
