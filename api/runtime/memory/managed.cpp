// SPDX-License-Identifier: Apache-2.0
// Managed memory, and where its pages should be.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaMallocManaged(void** devPtr, size_t size, unsigned int flags) {
  return call_if(devPtr != nullptr, [&]() -> Status {
    if (size == 0) {
      *devPtr = nullptr;
      return {};
    }
    return DRIVER(cuMemAllocManaged)(device_pointer(devPtr), size, flags);
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t dataSize, cudaMemRangeAttribute attribute,
                                     const void* devPtr, size_t count) {
  return call([&] {
    return DRIVER(cuMemRangeGetAttribute)(data, dataSize,
                                          static_cast<CUmem_range_attribute>(attribute),
                                          device_pointer(devPtr), count);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* dataSizes,
                                      cudaMemRangeAttribute* attributes, size_t numAttributes,
                                      const void* devPtr, size_t count) {
  return call([&] {
    return DRIVER(cuMemRangeGetAttributes)(data, dataSizes,
                                           same_layout<CUmem_range_attribute>(attributes),
                                           numAttributes, device_pointer(devPtr), count);
  });
}
}
