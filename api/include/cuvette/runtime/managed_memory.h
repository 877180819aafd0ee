// SPDX-License-Identifier: Apache-2.0
// Managed memory: where it should be, and what is known of it.
//
// Reference: CUDA Runtime API, "Memory Management".
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "memory_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaMemDiscardAndPrefetchBatchAsync __CUDART_API_PTSZ(cudaMemDiscardAndPrefetchBatchAsync)
#define cudaMemDiscardBatchAsync __CUDART_API_PTSZ(cudaMemDiscardBatchAsync)
#define cudaMemPrefetchAsync __CUDART_API_PTSZ(cudaMemPrefetchAsync)
#define cudaMemPrefetchBatchAsync __CUDART_API_PTSZ(cudaMemPrefetchBatchAsync)
#if CUVETTE_CUDART_MAJOR == 12
#define cudaMemPrefetchAsync_v2 __CUDART_API_PTSZ(cudaMemPrefetchAsync_v2)
#endif
#endif

// Advises the driver how managed memory, in bytes, will be used.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first has a device for a location.
cudaError_t CUDARTAPI cudaMemAdvise(const void* devPtr, size_t count, enum cudaMemoryAdvise advice,
                                    int device);
cudaError_t CUDARTAPI cudaMemAdvise_v2(const void* devPtr, size_t count,
                                       enum cudaMemoryAdvise advice,
                                       struct cudaMemLocation location);
#else
cudaError_t CUDARTAPI cudaMemAdvise(const void* devPtr, size_t count, enum cudaMemoryAdvise advice,
                                    struct cudaMemLocation location);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Drops what ranges hold and moves the empty ranges to where the next work needs them. The
// locations of the ranges are as in cudaMemPrefetchBatchAsync.
cudaError_t CUDARTAPI cudaMemDiscardAndPrefetchBatchAsync(
    void** dptrs, size_t* sizes, size_t count, struct cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Drops what ranges of managed memory hold: reading them before writing gives anything. flags must
// be 0.
cudaError_t CUDARTAPI cudaMemDiscardBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                               unsigned long long flags, cudaStream_t stream);
#endif

// Moves managed memory to a location before it is used there. flags must be 0.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first has a device for a location.
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice,
                                           cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemPrefetchAsync_v2(const void* devPtr, size_t count,
                                              struct cudaMemLocation location, unsigned int flags,
                                              cudaStream_t stream CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void* devPtr, size_t count,
                                           struct cudaMemLocation location, unsigned int flags,
                                           cudaStream_t stream CUVETTE_DEFAULT(0));
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Moves count ranges of managed memory. Range i goes to the last location whose index in
// prefetchLocIdxs is not above i; the first index is 0. flags must be 0.
cudaError_t CUDARTAPI cudaMemPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                                struct cudaMemLocation* prefetchLocs,
                                                size_t* prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream);
#endif

// Writes one attribute of a range of managed memory. dataSize is in bytes.
cudaError_t CUDARTAPI cudaMemRangeGetAttribute(void* data, size_t dataSize,
                                               enum cudaMemRangeAttribute attribute,
                                               const void* devPtr, size_t count);

// Writes several attributes of a range of managed memory.
cudaError_t CUDARTAPI cudaMemRangeGetAttributes(void** data, size_t* dataSizes,
                                                enum cudaMemRangeAttribute* attributes,
                                                size_t numAttributes, const void* devPtr,
                                                size_t count);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaMemDiscardAndPrefetchBatchAsync
#undef cudaMemDiscardBatchAsync
#undef cudaMemPrefetchAsync
#undef cudaMemPrefetchBatchAsync
#undef cudaMemPrefetchAsync_v2

// The twins with the legacy default stream.
#if CUVETTE_CUDART_MAJOR >= 13
cudaError_t CUDARTAPI cudaMemDiscardAndPrefetchBatchAsync(
    void** dptrs, size_t* sizes, size_t count, struct cudaMemLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream);
#endif
#if CUVETTE_CUDART_MAJOR >= 13
cudaError_t CUDARTAPI cudaMemDiscardBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                               unsigned long long flags, cudaStream_t stream);
#endif
#if CUVETTE_CUDART_MAJOR == 12
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void* devPtr, size_t count, int dstDevice,
                                           cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemPrefetchAsync_v2(const void* devPtr, size_t count,
                                              struct cudaMemLocation location, unsigned int flags,
                                              cudaStream_t stream CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI cudaMemPrefetchAsync(const void* devPtr, size_t count,
                                           struct cudaMemLocation location, unsigned int flags,
                                           cudaStream_t stream CUVETTE_DEFAULT(0));
#endif
#if CUVETTE_CUDART_MAJOR >= 13
cudaError_t CUDARTAPI cudaMemPrefetchBatchAsync(void** dptrs, size_t* sizes, size_t count,
                                                struct cudaMemLocation* prefetchLocs,
                                                size_t* prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream);
#endif
#endif

#ifdef __cplusplus
}
#endif
