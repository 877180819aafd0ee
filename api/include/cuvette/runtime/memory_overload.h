// SPDX-License-Identifier: Apache-2.0
// C++ forms of the memory functions: pointers with their types, and variables by their names.
// They are always inlined, so that a call is said to be where the program makes it.
//
// Reference: CUDA Runtime API, "C++ API Routines".
#pragma once

#include "host_memory.h"
#include "managed_memory.h"
#include "memory.h"
#include "memory_copy.h"
#include "memory_pool.h"
#include "stream.h"

// As the C functions of the same name; the pointer written has a type.
template <class T>
static __forceinline__ cudaError_t cudaMalloc(T** devPtr, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void**>(devPtr), size);
}

template <class T>
static __forceinline__ cudaError_t cudaMallocPitch(T** devPtr, size_t* pitch, size_t width,
                                                   size_t height) {
  return ::cudaMallocPitch(reinterpret_cast<void**>(devPtr), pitch, width, height);
}

template <class T>
static __forceinline__ cudaError_t cudaMallocManaged(T** devPtr, size_t size,
                                                     unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged(reinterpret_cast<void**>(devPtr), size, flags);
}

template <class T>
static __forceinline__ cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}

template <class T>
static __forceinline__ cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost,
                                                            unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(pDevice), pHost, flags);
}

// cudaMallocHost with the flags of cudaHostAlloc.
static __forceinline__ cudaError_t cudaMallocHost(void** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(ptr, size, flags);
}

template <class T>
static __forceinline__ cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}

// cudaMallocAsync with a pool is cudaMallocFromPoolAsync.
static __forceinline__ cudaError_t cudaMallocAsync(void** ptr, size_t size, cudaMemPool_t memPool,
                                                   cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}

template <class T>
static __forceinline__ cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t memPool,
                                                   cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}

template <class T>
static __forceinline__ cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync(reinterpret_cast<void**>(ptr), size, stream);
}

template <class T>
static __forceinline__ cudaError_t cudaMallocFromPoolAsync(T** ptr, size_t size,
                                                           cudaMemPool_t memPool,
                                                           cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}

template <class T>
static __forceinline__ cudaError_t cudaStreamAttachMemAsync(
    cudaStream_t stream, T* devPtr, size_t length = 0, unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, static_cast<void*>(devPtr), length, flags);
}

#if CUVETTE_CUDART_MAJOR >= 13

// A batch of ranges or copies, and one in which all have the same location or attributes.
template <typename T, typename U>
static __forceinline__ cudaError_t cudaMemcpyBatchAsync(T* const* dsts, U* const* srcs,
                                                        const size_t* sizes, size_t count,
                                                        struct cudaMemcpyAttributes* attrs,
                                                        size_t* attrsIdxs, size_t numAttrs,
                                                        cudaStream_t hStream) {
  return ::cudaMemcpyBatchAsync((void* const*)dsts, (const void* const*)srcs, sizes, count, attrs,
                                attrsIdxs, numAttrs, hStream);
}

template <typename T, typename U>
static __forceinline__ cudaError_t cudaMemcpyBatchAsync(T* const* dsts, U* const* srcs,
                                                        const size_t* sizes, size_t count,
                                                        struct cudaMemcpyAttributes attr,
                                                        cudaStream_t hStream) {
  size_t first = 0;
  return ::cudaMemcpyBatchAsync((void* const*)dsts, (const void* const*)srcs, sizes, count, &attr,
                                &first, 1, hStream);
}

template <typename T>
static __forceinline__ cudaError_t cudaMemPrefetchBatchAsync(T** dptrs, size_t* sizes, size_t count,
                                                             struct cudaMemLocation* prefetchLocs,
                                                             size_t* prefetchLocIdxs,
                                                             size_t numPrefetchLocs,
                                                             unsigned long long flags,
                                                             cudaStream_t stream) {
  return ::cudaMemPrefetchBatchAsync((void**)dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                                     numPrefetchLocs, flags, stream);
}

template <typename T>
static __forceinline__ cudaError_t cudaMemPrefetchBatchAsync(T** dptrs, size_t* sizes, size_t count,
                                                             struct cudaMemLocation prefetchLocs,
                                                             unsigned long long flags,
                                                             cudaStream_t stream) {
  size_t first = 0;
  return ::cudaMemPrefetchBatchAsync((void**)dptrs, sizes, count, &prefetchLocs, &first, 1, flags,
                                     stream);
}

template <typename T>
static __forceinline__ cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    T** dptrs, size_t* sizes, size_t count, struct cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
    cudaStream_t stream) {
  return ::cudaMemDiscardAndPrefetchBatchAsync((void**)dptrs, sizes, count, prefetchLocs,
                                               prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

template <typename T>
static __forceinline__ cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    T** dptrs, size_t* sizes, size_t count, struct cudaMemLocation prefetchLocs,
    unsigned long long flags, cudaStream_t stream) {
  size_t first = 0;
  return ::cudaMemDiscardAndPrefetchBatchAsync((void**)dptrs, sizes, count, &prefetchLocs, &first,
                                               1, flags, stream);
}

#else

// CUDA 12 has one C++ name for both versions: a location instead of a device.
template <typename T>
static __forceinline__ cudaError_t cudaMemPrefetchAsync(T* devPtr, size_t count,
                                                        struct cudaMemLocation location,
                                                        unsigned int flags,
                                                        cudaStream_t stream = 0) {
  return ::cudaMemPrefetchAsync_v2(static_cast<const void*>(devPtr), count, location, flags,
                                   stream);
}

template <typename T>
static __forceinline__ cudaError_t cudaMemAdvise(T* devPtr, size_t count,
                                                 enum cudaMemoryAdvise advice,
                                                 struct cudaMemLocation location) {
  return ::cudaMemAdvise_v2(static_cast<const void*>(devPtr), count, advice, location);
}

#endif

#if defined(__CUDACC__) || defined(__CUDA__)

// Variables by their names, which compilers of CUDA C++ know: a variable's shadow on the host
// stands for it.
template <class T>
static __forceinline__ cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
  return ::cudaGetSymbolAddress(devPtr, (const void*)&symbol);
}

template <class T>
static __forceinline__ cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return ::cudaGetSymbolSize(size, (const void*)&symbol);
}

template <class T>
static __forceinline__ cudaError_t
cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void*)&symbol, src, count, offset, kind);
}

template <class T>
static __forceinline__ cudaError_t cudaMemcpyToSymbolAsync(
    const T& symbol, const void* src, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void*)&symbol, src, count, offset, kind, stream);
}

template <class T>
static __forceinline__ cudaError_t
cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, (const void*)&symbol, count, offset, kind);
}

template <class T>
static __forceinline__ cudaError_t cudaMemcpyFromSymbolAsync(
    void* dst, const T& symbol, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, (const void*)&symbol, count, offset, kind, stream);
}

#endif
