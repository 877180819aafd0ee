// SPDX-License-Identifier: Apache-2.0
// Allocation in stream order, and its pools.
//
// Reference: CUDA Runtime API, "Stream Ordered Memory Allocator".
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "memory_pool_types.h"
#include "memory_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaFreeAsync __CUDART_API_PTSZ(cudaFreeAsync)
#define cudaMallocAsync __CUDART_API_PTSZ(cudaMallocAsync)
#define cudaMallocFromPoolAsync __CUDART_API_PTSZ(cudaMallocFromPoolAsync)
#endif

// Writes the pool that a device has by itself.
cudaError_t CUDARTAPI cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device);

// Writes the pool from which cudaMallocAsync takes on a device.
cudaError_t CUDARTAPI cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device);

// Sets that pool, which is of the same device.
cudaError_t CUDARTAPI cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);

// Frees memory of a pool, or of cudaMalloc, in the order of a stream: work submitted later must not
// touch it.
cudaError_t CUDARTAPI cudaFreeAsync(void* devPtr, cudaStream_t hStream);

// Allocates in the order of a stream from the device's pool: the memory may be used by later work
// of the stream. cudaErrorMemoryAllocation if there is not so much.
cudaError_t CUDARTAPI cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream);

// As cudaMallocAsync, from a pool.
cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool,
                                              cudaStream_t stream);

#if CUVETTE_CUDART_MAJOR >= 13
// Writes the pool that a location has by itself, for a type of memory.
cudaError_t CUDARTAPI cudaMemGetDefaultMemPool(cudaMemPool_t* memPool,
                                               struct cudaMemLocation* location,
                                               enum cudaMemAllocationType type);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Writes the current pool of a location for a type of memory.
cudaError_t CUDARTAPI cudaMemGetMemPool(cudaMemPool_t* memPool, struct cudaMemLocation* location,
                                        enum cudaMemAllocationType type);
#endif

// Creates a pool.
cudaError_t CUDARTAPI cudaMemPoolCreate(cudaMemPool_t* memPool,
                                        const struct cudaMemPoolProps* poolProps);

// Destroys a pool; memory in use goes when it is freed. The default pool of a device cannot be
// destroyed.
cudaError_t CUDARTAPI cudaMemPoolDestroy(cudaMemPool_t memPool);

// Writes what another process needs to reach memory of a shared pool.
cudaError_t CUDARTAPI cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData* exportData,
                                               void* ptr);

// Writes a handle of the pool, such as a file descriptor, for another process. flags must be 0.
cudaError_t CUDARTAPI
cudaMemPoolExportToShareableHandle(void* shareableHandle, cudaMemPool_t memPool,
                                   enum cudaMemAllocationHandleType handleType, unsigned int flags);

// Writes how a location may reach the pool's memory.
cudaError_t CUDARTAPI cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                           struct cudaMemLocation* location);

// Writes an attribute of a pool; its type depends on the attribute.
cudaError_t CUDARTAPI cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                              void* value);

// Opens a pool of another process. flags must be 0.
cudaError_t CUDARTAPI cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t* memPool, void* shareableHandle, enum cudaMemAllocationHandleType handleType,
    unsigned int flags);

// Writes the address of memory that another process exported; free it here before there.
cudaError_t CUDARTAPI cudaMemPoolImportPointer(void** ptr, cudaMemPool_t memPool,
                                               struct cudaMemPoolPtrExportData* exportData);

// Sets how locations may reach the pool's memory.
cudaError_t CUDARTAPI cudaMemPoolSetAccess(cudaMemPool_t memPool,
                                           const struct cudaMemAccessDesc* descList, size_t count);

// Sets an attribute of a pool.
cudaError_t CUDARTAPI cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                              void* value);

// Gives memory that is not in use back to the system, until minBytesToKeep bytes are left.
cudaError_t CUDARTAPI cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);

#if CUVETTE_CUDART_MAJOR >= 13
// Sets the current pool of a location for a type of memory.
cudaError_t CUDARTAPI cudaMemSetMemPool(struct cudaMemLocation* location,
                                        enum cudaMemAllocationType type, cudaMemPool_t memPool);
#endif

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaFreeAsync
#undef cudaMallocAsync
#undef cudaMallocFromPoolAsync

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaFreeAsync(void* devPtr, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool,
                                              cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
