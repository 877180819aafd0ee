// SPDX-License-Identifier: Apache-2.0
// Where pages of managed memory should be.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/abi.hpp"
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t LATEST(cudaMemAdvise, _v2)(const void* devPtr, size_t count, cudaMemoryAdvise advice,
                                       cudaMemLocation location) {
  return call([&] {
    return DRIVER(cuMemAdvise)(device_pointer(devPtr), count, static_cast<CUmem_advise>(advice),
                               *same_layout<CUmemLocation>(&location));
  });
}

cudaError_t LATEST(cudaMemPrefetchAsync, _v2)(const void* devPtr, size_t count,
                                              cudaMemLocation location, unsigned int flags,
                                              cudaStream_t stream) {
  return call([&] {
    return DRIVER(cuMemPrefetchAsync)(device_pointer(devPtr), count,
                                      *same_layout<CUmemLocation>(&location), flags,
                                      driver_stream(stream));
  });
}
}
