// SPDX-License-Identifier: Apache-2.0
// Execution: launching kernels and host functions, and the attributes of kernels.
//
// Reference: CUDA Runtime API, "Execution Control".
#pragma once

#include "error_types.h"
#include "function_types.h"
#include "handle_types.h"
#include "launch_types.h"
#include "stream_types.h"
#include "vector.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaLaunchCooperativeKernel __CUDART_API_PTSZ(cudaLaunchCooperativeKernel)
#define cudaLaunchHostFunc __CUDART_API_PTSZ(cudaLaunchHostFunc)
#define cudaLaunchKernel __CUDART_API_PTSZ(cudaLaunchKernel)
#define cudaLaunchKernelExC __CUDART_API_PTSZ(cudaLaunchKernelExC)
#endif

// Writes what a kernel needs and may have. func is the kernel as host code names it, or a
// cudaFunction_t or cudaKernel_t. cudaErrorInvalidDeviceFunction if it is none.
cudaError_t CUDARTAPI cudaFuncGetAttributes(struct cudaFuncAttributes* attr, const void* func);

// Writes the mangled name of a kernel; the string lives as long as the kernel.
cudaError_t CUDARTAPI cudaFuncGetName(const char** name, const void* func);

// Writes offset and size, in bytes, of a kernel's parameter; paramSize may be null.
// cudaErrorInvalidValue past the last one.
cudaError_t CUDARTAPI cudaFuncGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset,
                                           size_t* paramSize);

// Sets an attribute of a kernel; more dynamic shared memory than 48 KiB needs
// cudaFuncAttributeMaxDynamicSharedMemorySize.
cudaError_t CUDARTAPI cudaFuncSetAttribute(const void* func, enum cudaFuncAttribute attr,
                                           int value);

// Says what a kernel prefers: more L1 cache or more shared memory.
cudaError_t CUDARTAPI cudaFuncSetCacheConfig(const void* func, enum cudaFuncCache cacheConfig);

// Sets the width of the banks of shared memory for a kernel; it does nothing on devices of today.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI
cudaFuncSetSharedMemConfig(const void* func, enum cudaSharedMemConfig config);

// As cudaLaunchKernel, for a kernel whose blocks wait for each other.
// cudaErrorCooperativeLaunchTooLarge if the device does not hold the whole grid at a time.
cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim,
                                                  void** args, size_t sharedMem,
                                                  cudaStream_t stream);

// Calls fn, on a thread of the driver, when the work before it is complete; later work waits for
// it. fn must not call CUDA functions.
cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData);

// Launches a kernel: gridDim blocks of blockDim threads, each block with sharedMem bytes of dynamic
// shared memory. args points to pointers to the arguments. cudaErrorInvalidConfiguration for a
// shape that no device takes, cudaErrorLaunchOutOfResources for one that this kernel does not.
cudaError_t CUDARTAPI cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                       size_t sharedMem, cudaStream_t stream);

// As cudaLaunchKernel, with the configuration and attributes of a struct.
cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func,
                                          void** args);

#if CUVETTE_CUDART_MAJOR == 12
// Launches a cooperative kernel on several devices; flags are of the
// cudaCooperativeLaunchMultiDevice... family.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaLaunchCooperativeKernelMultiDevice(
    struct cudaLaunchParams* launchParamsList, unsigned int numDevices,
    unsigned int flags CUVETTE_DEFAULT(0));

// Turns a double into what devices without doubles take; they do nothing on today's devices.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaSetDoubleForDevice(double* d);
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaSetDoubleForHost(double* d);
#endif

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaLaunchCooperativeKernel
#undef cudaLaunchHostFunc
#undef cudaLaunchKernel
#undef cudaLaunchKernelExC

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim,
                                                  void** args, size_t sharedMem,
                                                  cudaStream_t stream);
cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData);
cudaError_t CUDARTAPI cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                       size_t sharedMem, cudaStream_t stream);
cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func,
                                          void** args);

#elif defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#undef cudaLaunchKernel
#undef cudaLaunchKernelExC

// The names themselves, for compilers that call them from a kernel's host stub.
static __inline__ cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim,
                                               void** args, size_t sharedMem, cudaStream_t stream) {
  return cudaLaunchKernel_ptsz(func, gridDim, blockDim, args, sharedMem, stream);
}
static __inline__ cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config,
                                                  const void* func, void** args) {
  return cudaLaunchKernelExC_ptsz(config, func, args);
}
#define cudaLaunchKernel __CUDART_API_PTSZ(cudaLaunchKernel)
#define cudaLaunchKernelExC __CUDART_API_PTSZ(cudaLaunchKernelExC)
#endif

#ifdef __cplusplus
}
#endif
