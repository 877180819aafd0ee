// SPDX-License-Identifier: Apache-2.0
// Host memory that devices can reach: allocated page-locked, or registered afterwards.
//
// Reference: CUDA Driver API, "Memory Management".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// Flags of cuMemHostAlloc and cuMemHostRegister: reachable from every context; mapped into the
// device's address space; write-combined; memory of an input or output device; never written by a
// device.
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08

// The exported symbol that each of these names expands to.
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2

// Allocates bytesize bytes of page-locked host memory, as cuMemHostAlloc without flags does.
CUresult CUDAAPI cuMemAllocHost(void** pp, size_t bytesize);

// Frees memory from cuMemAllocHost or cuMemHostAlloc. A null p is allowed; any other address is
// CUDA_ERROR_INVALID_VALUE.
CUresult CUDAAPI cuMemFreeHost(void* p);

// Allocates bytesize bytes of page-locked host memory. Flags: CU_MEMHOSTALLOC_... . With unified
// addressing it is always mapped and portable.
CUresult CUDAAPI cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags);

// Writes the address by which the device reaches mapped host memory. Flags must be 0.
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* pdptr, void* p, unsigned int Flags);

// Writes the flags with which the memory at p was allocated or registered.
CUresult CUDAAPI cuMemHostGetFlags(unsigned int* pFlags, void* p);

// Page-locks bytesize bytes of the caller's memory and makes them reachable from devices.
// CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED if a part is.
CUresult CUDAAPI cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags);

// Reverses cuMemHostRegister; p must be the same address.
// CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED if it is not.
CUresult CUDAAPI cuMemHostUnregister(void* p);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuMemAllocHost
#undef cuMemHostGetDevicePointer
#undef cuMemHostRegister

// The other versions that the library exports.
CUresult CUDAAPI cuMemAllocHost(void** pp, unsigned int bytesize);
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr_v1* pdptr, void* p, unsigned int Flags);
CUresult CUDAAPI cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags);
#endif

#ifdef __cplusplus
}
#endif
