// SPDX-License-Identifier: Apache-2.0
// What nvcc's host code has registered with this process: images, kernels and variables, each
// loaded at its first use through the driver. All of it is called by one thread at a time.
#pragma once

#include <cuda.h>
#include <driver_types.h>
#include <vector_types.h>

namespace corpus {

// Keeps the error for cudaGetLastError() and hands it on; the numbers of both APIs are the same.
cudaError_t keep(CUresult result);
cudaError_t keep(cudaError_t error);

// The driver is up and the device's primary context is current.
CUresult ready();

CUresult kernel_of(const void* host, CUkernel* kernel);
CUresult function_of(const void* host, CUfunction* function);
CUresult variable_of(const void* host, CUdeviceptr* address, size_t* bytes);

}  // namespace corpus

// Forwards to the driver, which is up then.
#define FORWARD(...)                                                \
  do {                                                              \
    const CUresult up_ = corpus::ready();                           \
    return corpus::keep(up_ != CUDA_SUCCESS ? up_ : (__VA_ARGS__)); \
  } while (0)
