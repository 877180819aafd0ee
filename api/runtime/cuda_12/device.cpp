// SPDX-License-Identifier: Apache-2.0
// CUDA 12's older forms: a device's properties before CUDA 12, times of events, the names of before
// CUDA 4, and what devices without doubles needed.
//
// Reference: CUDA Runtime API 12.9, "Device Management" and "Thread Management".
#include <cstddef>
#include <cstring>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

// A program that was built before CUDA 12 has room only for the fields of that time.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  if (prop == nullptr) return cudaGetDeviceProperties_v2(nullptr, device);
  cudaDeviceProp all;
  const cudaError_t error = cudaGetDeviceProperties_v2(&all, device);
  constexpr size_t bytes = offsetof(cudaDeviceProp, reservedSharedMemPerBlock) +
                           sizeof(cudaDeviceProp::reservedSharedMemPerBlock);
  if (error == cudaSuccess) std::memcpy(prop, &all, bytes);
  return error;
}

cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

cudaError_t cudaThreadGetLimit(size_t* pValue, cudaLimit limit) {
  return cudaDeviceGetLimit(pValue, limit);
}

cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* pCacheConfig) {
  return cudaDeviceGetCacheConfig(pCacheConfig);
}

cudaError_t cudaThreadSetCacheConfig(cudaFuncCache cacheConfig) {
  return cudaDeviceSetCacheConfig(cacheConfig);
}

// All current devices support doubles, so a double stays as it is.
cudaError_t cudaSetDoubleForDevice(double*) {
  return call_alone([]() -> Status { return {}; });
}

cudaError_t cudaSetDoubleForHost(double*) {
  return call_alone([]() -> Status { return {}; });
}

// The second form distinguishes a failed event from one that has not happened; here the first does,
// too.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime_v2(ms, start, end);
}
}
