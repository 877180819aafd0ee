// SPDX-License-Identifier: Apache-2.0
// Copies to and from arrays.
//
// Reference: CUDA Runtime API, "Memory Management".
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "memory_copy_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaMemcpy2DArrayToArray __CUDART_API_PTDS(cudaMemcpy2DArrayToArray)
#define cudaMemcpy2DFromArray __CUDART_API_PTDS(cudaMemcpy2DFromArray)
#define cudaMemcpy2DFromArrayAsync __CUDART_API_PTSZ(cudaMemcpy2DFromArrayAsync)
#define cudaMemcpy2DToArray __CUDART_API_PTDS(cudaMemcpy2DToArray)
#define cudaMemcpy2DToArrayAsync __CUDART_API_PTSZ(cudaMemcpy2DToArrayAsync)
#define cudaMemcpyArrayToArray __CUDART_API_PTDS(cudaMemcpyArrayToArray)
#define cudaMemcpyFromArray __CUDART_API_PTDS(cudaMemcpyFromArray)
#define cudaMemcpyFromArrayAsync __CUDART_API_PTSZ(cudaMemcpyFromArrayAsync)
#define cudaMemcpyToArray __CUDART_API_PTDS(cudaMemcpyToArray)
#define cudaMemcpyToArrayAsync __CUDART_API_PTSZ(cudaMemcpyToArrayAsync)
#endif

// Copies height rows of width bytes from one array to another; horizontal offsets are in bytes,
// vertical ones in rows.
cudaError_t CUDARTAPI cudaMemcpy2DArrayToArray(
    cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
    size_t hOffsetSrc, size_t width, size_t height,
    enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyDeviceToDevice));

// Copies height rows of width bytes out of an array; wOffset is in bytes, hOffset in rows.
cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset, size_t width,
                                            size_t height, enum cudaMemcpyKind kind);

// As cudaMemcpy2DFromArray, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src,
                                                 size_t wOffset, size_t hOffset, size_t width,
                                                 size_t height, enum cudaMemcpyKind kind,
                                                 cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies height rows of width bytes into an array; wOffset is in bytes, hOffset in rows.
cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                          const void* src, size_t spitch, size_t width,
                                          size_t height, enum cudaMemcpyKind kind);

// As cudaMemcpy2DToArray, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                               const void* src, size_t spitch, size_t width,
                                               size_t height, enum cudaMemcpyKind kind,
                                               cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies count bytes from one array to another, row after row.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI
cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                       size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
                       enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyDeviceToDevice));

// Copies count bytes out of an array, row after row.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaMemcpyFromArray(void* dst,
                                                                    cudaArray_const_t src,
                                                                    size_t wOffset, size_t hOffset,
                                                                    size_t count,
                                                                    enum cudaMemcpyKind kind);

// As cudaMemcpyFromArray, in the order of a stream.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaMemcpyFromArrayAsync(
    void* dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
    enum cudaMemcpyKind kind, cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies count bytes into an array, row after row.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaMemcpyToArray(cudaArray_t dst, size_t wOffset,
                                                                  size_t hOffset, const void* src,
                                                                  size_t count,
                                                                  enum cudaMemcpyKind kind);

// As cudaMemcpyToArray, in the order of a stream.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaMemcpyToArrayAsync(
    cudaArray_t dst, size_t wOffset, size_t hOffset, const void* src, size_t count,
    enum cudaMemcpyKind kind, cudaStream_t stream CUVETTE_DEFAULT(0));

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaMemcpy2DArrayToArray
#undef cudaMemcpy2DFromArray
#undef cudaMemcpy2DFromArrayAsync
#undef cudaMemcpy2DToArray
#undef cudaMemcpy2DToArrayAsync
#undef cudaMemcpyArrayToArray
#undef cudaMemcpyFromArray
#undef cudaMemcpyFromArrayAsync
#undef cudaMemcpyToArray
#undef cudaMemcpyToArrayAsync

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaMemcpy2DArrayToArray(
    cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc,
    size_t hOffsetSrc, size_t width, size_t height,
    enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset, size_t width,
                                            size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DFromArrayAsync(void* dst, size_t dpitch, cudaArray_const_t src,
                                                 size_t wOffset, size_t hOffset, size_t width,
                                                 size_t height, enum cudaMemcpyKind kind,
                                                 cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                          const void* src, size_t spitch, size_t width,
                                          size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                               const void* src, size_t spitch, size_t width,
                                               size_t height, enum cudaMemcpyKind kind,
                                               cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI
cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                       size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
                       enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t CUDARTAPI cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t wOffset,
                                          size_t hOffset, size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t wOffset,
                                               size_t hOffset, size_t count,
                                               enum cudaMemcpyKind kind,
                                               cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                        const void* src, size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                             const void* src, size_t count,
                                             enum cudaMemcpyKind kind,
                                             cudaStream_t stream CUVETTE_DEFAULT(0));
#endif

#ifdef __cplusplus
}
#endif
