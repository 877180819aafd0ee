// SPDX-License-Identifier: Apache-2.0
// Device memory and managed memory: allocation, freeing and queries. Addresses and sizes
// are in bytes.
//
// Reference: CUDA Driver API, "Memory Management".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// Who may touch managed memory: every stream of every device, the host alone, or one stream.
typedef enum CUmemAttach_flags_enum {
  CU_MEM_ATTACH_GLOBAL = 0x1,
  CU_MEM_ATTACH_HOST = 0x2,
  CU_MEM_ATTACH_SINGLE = 0x4,
} CUmemAttach_flags;

// The exported symbol that each of these names expands to.
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemGetInfo cuMemGetInfo_v2

// Allocates bytesize bytes of device memory, aligned to at least 256 bytes and not initialised.
// CUDA_ERROR_INVALID_VALUE if bytesize is 0, CUDA_ERROR_OUT_OF_MEMORY if it does not fit.
CUresult CUDAAPI cuMemAlloc(CUdeviceptr* dptr, size_t bytesize);

// Allocates bytesize bytes that the host and all devices reach by one address. flags is
// CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST. CUDA_ERROR_INVALID_VALUE if bytesize is 0 or flags
// are wrong.
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr* dptr, size_t bytesize, unsigned int flags);

// Allocates Height rows of at least WidthInBytes bytes, each aligned for accesses of
// ElementSizeBytes (4, 8 or 16), and writes the distance of two rows in bytes.
CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr* dptr, size_t* pPitch, size_t WidthInBytes,
                                 size_t Height, unsigned int ElementSizeBytes);

// Frees memory from cuMemAlloc, cuMemAllocPitch, cuMemAllocManaged, cuMemAllocAsync or
// cuExternalMemoryGetMappedBuffer; dptr must be the address they returned, or 0. Waits for work
// that uses the memory.
CUresult CUDAAPI cuMemFree(CUdeviceptr dptr);

// Writes the start and the size in bytes of the allocation that dptr points into. Either pointer
// may be null. CUDA_ERROR_NOT_FOUND if there is none.
CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr);

// Writes how many bytes of the current context's device are free, and how many there are in all.
CUresult CUDAAPI cuMemGetInfo(size_t* free, size_t* total);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuMemAlloc
#undef cuMemAllocPitch
#undef cuMemFree
#undef cuMemGetAddressRange
#undef cuMemGetInfo

// The other versions that the library exports.
CUresult CUDAAPI cuMemAlloc(CUdeviceptr_v1* dptr, unsigned int bytesize);
CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr_v1* dptr, unsigned int* pPitch,
                                 unsigned int WidthInBytes, unsigned int Height,
                                 unsigned int ElementSizeBytes);
CUresult CUDAAPI cuMemFree(CUdeviceptr_v1 dptr);
CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr_v1* pbase, unsigned int* psize,
                                      CUdeviceptr_v1 dptr);
CUresult CUDAAPI cuMemGetInfo(unsigned int* free, unsigned int* total);
#endif

#ifdef __cplusplus
}
#endif
