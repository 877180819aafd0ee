// SPDX-License-Identifier: Apache-2.0
// Host memory that the device can use: page-locked allocations and registrations.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaMallocHost(void** ptr, size_t size) {
  return call([&]() -> Status {
    if (ptr == nullptr && size == 0) return cudaErrorInvalidValue;
    if (size == 0) {
      *ptr = nullptr;
      return {};
    }
    return DRIVER(cuMemHostAlloc)(ptr, size, 0);
  });
}

cudaError_t cudaHostAlloc(void** pHost, size_t size, unsigned int flags) {
  return call([&]() -> Status {
    if (pHost == nullptr && size == 0) return cudaErrorInvalidValue;
    if (size == 0) {
      *pHost = nullptr;
      return {};
    }
    return DRIVER(cuMemHostAlloc)(pHost, size, flags);
  });
}

cudaError_t cudaFreeHost(void* ptr) {
  return call([&] { return DRIVER(cuMemFreeHost)(ptr); });
}

cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags) {
  return call([&] { return DRIVER(cuMemHostRegister)(ptr, size, flags); });
}

cudaError_t cudaHostUnregister(void* ptr) {
  return call([&] { return DRIVER(cuMemHostUnregister)(ptr); });
}

cudaError_t cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags) {
  return call_if(pDevice != nullptr && pHost != nullptr, [&] {
    return DRIVER(cuMemHostGetDevicePointer)(device_pointer(pDevice), pHost, flags);
  });
}

cudaError_t cudaHostGetFlags(unsigned int* pFlags, void* pHost) {
  return call_if(pFlags != nullptr, [&] { return DRIVER(cuMemHostGetFlags)(pFlags, pHost); });
}
}
