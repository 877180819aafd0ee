// SPDX-License-Identifier: Apache-2.0
// The functions that a compiler's host code calls by itself: it registers fat binaries, kernels and
// variables before main, and turns kernel<<<...>>>(...) into a launch.
//
// Programs do not call these; compilers and the runtime library agree on them. In the order of a
// program's life: __cudaRegisterFatBinary, then one __cudaRegister... for each kernel and variable,
// then __cudaRegisterFatBinaryEnd, all in static constructors; for each launch
// __cudaPushCallConfiguration in the caller, __cudaPopCallConfiguration and cudaLaunchKernel (nvcc
// 12.9 and later: __cudaGetKernel and __cudaLaunchKernel) in the kernel's host stub; at exit
// __cudaUnregisterFatBinary.
//
// None of them reports an error of the program's code: a kernel that cannot be loaded fails at its
// first launch.
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "vector.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers a fat binary: fatCubin is the compiler's 24-byte wrapper in .nvFatBinSegment. The
// handle that it returns goes to the other functions.
void** CUDARTAPI __cudaRegisterFatBinary(void* fatCubin);

// Says that everything of a fat binary is registered.
void CUDARTAPI __cudaRegisterFatBinaryEnd(void** fatCubinHandle);

// Takes a fat binary back, and all that was registered with it.
void CUDARTAPI __cudaUnregisterFatBinary(void** fatCubinHandle);

// Loads a fat binary at once, because managed variables must exist before host code reads them.
char CUDARTAPI __cudaInitModule(void** fatCubinHandle);

// Registers a kernel: hostFun, the address of its host stub, names deviceName, a function of the
// fat binary. The other arguments are from before CUDA 4 and unused: -1 and null.
void CUDARTAPI __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun, char* deviceFun,
                                      const char* deviceName, int thread_limit, uint3* tid,
                                      uint3* bid, dim3* bDim, dim3* gDim, int* wSize);

// Registers a __device__ or __constant__ variable of size bytes: hostVar is the address of its
// shadow on the host. ext says that it is defined in another fat binary.
void CUDARTAPI __cudaRegisterVar(void** fatCubinHandle, char* hostVar, char* deviceAddress,
                                 const char* deviceName, int ext, size_t size, int constant,
                                 int global);

// Registers a __managed__ variable: *hostVarPtrAddress becomes its address when it is loaded.
void CUDARTAPI __cudaRegisterManagedVar(void** fatCubinHandle, void** hostVarPtrAddress,
                                        char* deviceAddress, const char* deviceName, int ext,
                                        size_t size, int constant, int global);

// Registers a variable of the host that device code reads by name, for devices that reach all of
// the host's memory.
void CUDARTAPI __cudaRegisterHostVar(void** fatCubinHandle, const char* deviceName, char* hostVar,
                                     size_t size);

// Exported by the runtime; what they take and answer is not public.
void CUDARTAPI __cudaRegisterUnifiedTable(void);
#if CUVETTE_CUDART_MAJOR >= 13
void CUDARTAPI __cudaGetProcAddress(void);
#endif

#if defined(__cplusplus)
// Keeps the values between <<< and >>> for the stub that is called next on this thread. A value
// other than 0 says that the launch must not happen.
unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim = 1,
                                               size_t sharedMem = 0,
                                               struct CUstream_st* stream = 0);
#else
unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                               struct CUstream_st* stream);
#endif

// Takes these values back; stream points to a cudaStream_t.
cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                                 void* stream);

// Writes the kernel of a host stub. A stub asks once, before it knows whether it will launch.
cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t* kernel, const void* entryFuncAddr);

// Launches a kernel as cudaLaunchKernel does; the second has the per-thread default stream.
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,
                                         void** args, size_t sharedMem, cudaStream_t stream);
cudaError_t CUDARTAPI __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,
                                              void** args, size_t sharedMem, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
