// SPDX-License-Identifier: Apache-2.0
// The atomic operations of devices in memory that is not their own.
//
// Reference: CUDA Runtime API, "Device Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int* capabilities,
                                                const cudaAtomicOperation* operations,
                                                unsigned int count, int device) {
  return call_with_driver([&] {
    return DRIVER(cuDeviceGetHostAtomicCapabilities)(
        capabilities, same_layout<CUatomicOperation>(operations), count, device);
  });
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int* capabilities,
                                               const cudaAtomicOperation* operations,
                                               unsigned int count, int srcDevice, int dstDevice) {
  return call_with_driver([&] {
    return DRIVER(cuDeviceGetP2PAtomicCapabilities)(
        capabilities, same_layout<CUatomicOperation>(operations), count, srcDevice, dstDevice);
  });
}
}
