// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08

// The exported symbol that each of these names stands for.
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2

CUresult CUDAAPI cuMemAllocHost(void** pp, size_t bytesize);

CUresult CUDAAPI cuMemFreeHost(void* p);

CUresult CUDAAPI cuMemHostAlloc(void** pp, size_t bytesize, unsigned int Flags);

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* pdptr, void* p, unsigned int Flags);

CUresult CUDAAPI cuMemHostGetFlags(unsigned int* pFlags, void* p);

CUresult CUDAAPI cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags);

CUresult CUDAAPI cuMemHostUnregister(void* p);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuMemAllocHost
#undef cuMemHostGetDevicePointer
#undef cuMemHostRegister

// Every other version that the library exports.
CUresult CUDAAPI cuMemAllocHost(void** pp, unsigned int bytesize);
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr_v1* pdptr, void* p, unsigned int Flags);
CUresult CUDAAPI cuMemHostRegister(void* p, size_t bytesize, unsigned int Flags);
#endif

#ifdef __cplusplus
}
#endif
