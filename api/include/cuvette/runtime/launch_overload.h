// SPDX-License-Identifier: Apache-2.0
// C++ forms of launching: kernels with their types, arguments instead of pointers to them.
//
// Reference: CUDA Runtime API, "C++ API Routines".
#pragma once

#include <utility>

#include "execution.h"

// As the C functions, for a kernel by its name.
template <class T>
static inline cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args,
                                           size_t sharedMem = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args, sharedMem,
                            stream);
}

template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim,
                                                      void** args, size_t sharedMem = 0,
                                                      cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(func), gridDim, blockDim, args,
                                       sharedMem, stream);
}

// Launches a kernel with arguments; each is converted to the type of its parameter first.
template <typename... Parameters, typename... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                             void (*kernel)(Parameters...), Arguments&&... args) {
  return [&](Parameters... converted) {
    void* addresses[] = {static_cast<void*>(&converted)..., nullptr};
    return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), addresses);
  }(std::forward<Arguments>(args)...);
}

// As above, for a handle, which says nothing about types: the arguments must have the parameters'
// types.
template <typename... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                                             const cudaKernel_t kernel, Arguments&&... args) {
  void* addresses[] = {const_cast<void*>(static_cast<const volatile void*>(&args))..., nullptr};
  return ::cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), addresses);
}

#if defined(__CUDACC__) || defined(__CUDA__)

// The type by which compilers of CUDA C++ know a kernel's name.
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T* func, enum cudaFuncCache cacheConfig) {
  return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(func), cacheConfig);
}

__NV_SILENCE_DEPRECATION_BEGIN
template <class T>
CUVETTE_CUDART_DEPRECATED static inline cudaError_t cudaFuncSetSharedMemConfig(
    T* func, enum cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(func), config);
}
__NV_SILENCE_DEPRECATION_END

template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attr, T* entry) {
  return ::cudaFuncGetAttributes(attr, reinterpret_cast<const void*>(entry));
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* func, enum cudaFuncAttribute attr, int value) {
  return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(func), attr, value);
}

template <class T>
static inline cudaError_t CUDARTAPI cudaFuncGetName(const char** name, T* func) {
  return ::cudaFuncGetName(name, reinterpret_cast<const void*>(func));
}

#endif
