// SPDX-License-Identifier: Apache-2.0
// Memory allocated and freed in stream order, out of pools.
//
// An allocation may be used by work that the stream orders after cuMemAllocAsync, and before
// cuMemFreeAsync. Freed memory stays in its pool and is given back to the system at synchronisation
// as far as it exceeds the release threshold.
//
// Reference: CUDA Driver API, "Stream Ordered Memory Allocator".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"
#include "virtual_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// A value of CUmemPoolProps::usage: memory for input or output of the decompression engine.
#define CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS 0x2

// The three REUSE_... attributes are int, the others cuuint64_t, in bytes. The HIGH marks can only
// be set to 0.
typedef enum CUmemPool_attribute_enum {
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
  CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8,
} CUmemPool_attribute;

typedef struct CUmemPoolProps_st {
  CUmemAllocationType allocType;
  CUmemAllocationHandleType handleTypes;
  CUmemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps_v1;
typedef CUmemPoolProps_v1 CUmemPoolProps;

typedef struct CUmemPoolPtrExportData_st {
  unsigned char reserved[64];
} CUmemPoolPtrExportData_v1;
typedef CUmemPoolPtrExportData_v1 CUmemPoolPtrExportData;

// These have a per-thread twin only.
#if defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cuMemAllocAsync __CUDA_API_PTSZ(cuMemAllocAsync)
#define cuMemAllocFromPoolAsync __CUDA_API_PTSZ(cuMemAllocFromPoolAsync)
#define cuMemFreeAsync __CUDA_API_PTSZ(cuMemFreeAsync)
#endif

// Allocates bytesize bytes in hStream's order, out of the device's current pool.
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream);

// As cuMemAllocAsync, out of a given pool.
CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                         CUstream hStream);

// Frees an allocation in hStream's order.
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream);

// Writes the default pool of a place.
CUresult CUDAAPI cuMemGetDefaultMemPool(CUmemoryPool* pool_out, CUmemLocation* location,
                                        CUmemAllocationType type);

// Writes the current pool of a place.
CUresult CUDAAPI cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                 CUmemAllocationType type);

// Creates a pool.
CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* poolProps);

// Destroys a pool; if allocations are left, once the last of them is freed.
CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool pool);

// Writes 64 bytes that name an allocation for an importer of the pool.
CUresult CUDAAPI cuMemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr);

// Exports a pool: writes a handle of the operating system.
CUresult CUDAAPI cuMemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool,
                                                  CUmemAllocationHandleType handleType,
                                                  unsigned long long flags);

// Writes whether a place may read or write a pool's memory.
CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool memPool,
                                    CUmemLocation* location);

// Writes an attribute of a pool.
CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value);

// Imports a pool from an exported handle; it can only import allocations.
CUresult CUDAAPI cuMemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle,
                                                    CUmemAllocationHandleType handleType,
                                                    unsigned long long flags);

// Writes the address of an allocation that the exporter named.
CUresult CUDAAPI cuMemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool,
                                        CUmemPoolPtrExportData* shareData);

// Sets which devices may access a pool's memory.
CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, size_t count);

// Sets an attribute of a pool.
CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void* value);

// Returns unused memory to the system until only minBytesToKeep bytes are left.
CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep);

// Sets the current pool of a place.
CUresult CUDAAPI cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type,
                                 CUmemoryPool pool);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuMemAllocAsync
#undef cuMemAllocFromPoolAsync
#undef cuMemFreeAsync

// The other versions that the library exports.
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr* dptr, size_t bytesize, CUstream hStream);
CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr* dptr, size_t bytesize, CUmemoryPool pool,
                                         CUstream hStream);
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream);
#endif

#ifdef __cplusplus
}
#endif
