// SPDX-License-Identifier: Apache-2.0
// Copies between memory and memory, and between memory and variables.
//
// A copy without Async waits until it is done, unless both sides are on devices. One with Async is
// done in the order of its stream; with pageable host memory the call may wait nevertheless.
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
#define cudaMemcpy __CUDART_API_PTDS(cudaMemcpy)
#define cudaMemcpy2D __CUDART_API_PTDS(cudaMemcpy2D)
#define cudaMemcpy2DAsync __CUDART_API_PTSZ(cudaMemcpy2DAsync)
#define cudaMemcpy3D __CUDART_API_PTDS(cudaMemcpy3D)
#define cudaMemcpy3DAsync __CUDART_API_PTSZ(cudaMemcpy3DAsync)
#define cudaMemcpy3DBatchAsync __CUDART_API_PTSZ(cudaMemcpy3DBatchAsync)
#define cudaMemcpy3DPeer __CUDART_API_PTDS(cudaMemcpy3DPeer)
#define cudaMemcpy3DPeerAsync __CUDART_API_PTSZ(cudaMemcpy3DPeerAsync)
#define cudaMemcpyAsync __CUDART_API_PTSZ(cudaMemcpyAsync)
#define cudaMemcpyBatchAsync __CUDART_API_PTSZ(cudaMemcpyBatchAsync)
#define cudaMemcpyFromSymbol __CUDART_API_PTDS(cudaMemcpyFromSymbol)
#define cudaMemcpyFromSymbolAsync __CUDART_API_PTSZ(cudaMemcpyFromSymbolAsync)
#define cudaMemcpyToSymbol __CUDART_API_PTDS(cudaMemcpyToSymbol)
#define cudaMemcpyToSymbolAsync __CUDART_API_PTSZ(cudaMemcpyToSymbolAsync)
#endif

// Copies count bytes and waits for that, except between two places on devices.
// cudaErrorInvalidMemcpyDirection for a kind that is none.
cudaError_t CUDARTAPI cudaMemcpy(void* dst, const void* src, size_t count,
                                 enum cudaMemcpyKind kind);

// Copies height rows of width bytes; the pitches are the distances of rows in bytes.
// cudaErrorInvalidPitchValue if a pitch is below the width.
cudaError_t CUDARTAPI cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch,
                                   size_t width, size_t height, enum cudaMemcpyKind kind);

// As cudaMemcpy2D, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                                        size_t width, size_t height, enum cudaMemcpyKind kind,
                                        cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies a box between pitched memory and arrays, as p describes.
cudaError_t CUDARTAPI cudaMemcpy3D(const struct cudaMemcpy3DParms* p);

// As cudaMemcpy3D, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p,
                                        cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies numOps boxes, in any order among each other. flags must be 0.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: *failIdx becomes the number of the copy that was refused, or SIZE_MAX.
cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp* opList,
                                             size_t* failIdx, unsigned long long flags,
                                             cudaStream_t stream);
#else
cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp* opList,
                                             unsigned long long flags, cudaStream_t stream);
#endif

// As cudaMemcpy3D, between two devices.
cudaError_t CUDARTAPI cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms* p);

// As cudaMemcpy3DPeer, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms* p,
                                            cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies count bytes in the order of a stream. With pageable host memory the call may return late.
cudaError_t CUDARTAPI cudaMemcpyAsync(void* dst, const void* src, size_t count,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies count buffers, sizes in bytes, in any order among each other. Copy i has the attributes
// whose index in attrsIdxs is the last not above i; the first index is 0.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: *failIdx becomes the number of the copy that was refused, or SIZE_MAX.
cudaError_t CUDARTAPI cudaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count,
                                           struct cudaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                           size_t numAttrs, size_t* failIdx, cudaStream_t stream);
#else
cudaError_t CUDARTAPI cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs,
                                           const size_t* sizes, size_t count,
                                           struct cudaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                           size_t numAttrs, cudaStream_t stream);
#endif

// Copies count bytes out of a variable, from offset bytes on.
cudaError_t CUDARTAPI
cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset CUVETTE_DEFAULT(0),
                     enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyDeviceToHost));

// As cudaMemcpyFromSymbol, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count,
                                                size_t offset, enum cudaMemcpyKind kind,
                                                cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies count bytes from one device to another.
cudaError_t CUDARTAPI cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice,
                                     size_t count);

// As cudaMemcpyPeer, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                          size_t count, cudaStream_t stream CUVETTE_DEFAULT(0));

// Copies count bytes into a variable, from offset bytes on. cudaErrorInvalidSymbol if it is none.
cudaError_t CUDARTAPI cudaMemcpyToSymbol(
    const void* symbol, const void* src, size_t count, size_t offset CUVETTE_DEFAULT(0),
    enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyHostToDevice));

// As cudaMemcpyToSymbol, in the order of a stream.
cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                              size_t offset, enum cudaMemcpyKind kind,
                                              cudaStream_t stream CUVETTE_DEFAULT(0));

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaMemcpy
#undef cudaMemcpy2D
#undef cudaMemcpy2DAsync
#undef cudaMemcpy3D
#undef cudaMemcpy3DAsync
#undef cudaMemcpy3DBatchAsync
#undef cudaMemcpy3DPeer
#undef cudaMemcpy3DPeerAsync
#undef cudaMemcpyAsync
#undef cudaMemcpyBatchAsync
#undef cudaMemcpyFromSymbol
#undef cudaMemcpyFromSymbolAsync
#undef cudaMemcpyToSymbol
#undef cudaMemcpyToSymbolAsync

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaMemcpy(void* dst, const void* src, size_t count,
                                 enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch,
                                   size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                                        size_t width, size_t height, enum cudaMemcpyKind kind,
                                        cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy3D(const struct cudaMemcpy3DParms* p);
cudaError_t CUDARTAPI cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p,
                                        cudaStream_t stream CUVETTE_DEFAULT(0));
#if CUVETTE_CUDART_MAJOR == 12
cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp* opList,
                                             size_t* failIdx, unsigned long long flags,
                                             cudaStream_t stream);
#else
cudaError_t CUDARTAPI cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp* opList,
                                             unsigned long long flags, cudaStream_t stream);
#endif
cudaError_t CUDARTAPI cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms* p);
cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms* p,
                                            cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyAsync(void* dst, const void* src, size_t count,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream CUVETTE_DEFAULT(0));
#if CUVETTE_CUDART_MAJOR == 12
cudaError_t CUDARTAPI cudaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count,
                                           struct cudaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                           size_t numAttrs, size_t* failIdx, cudaStream_t stream);
#else
cudaError_t CUDARTAPI cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs,
                                           const size_t* sizes, size_t count,
                                           struct cudaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                           size_t numAttrs, cudaStream_t stream);
#endif
cudaError_t CUDARTAPI
cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset CUVETTE_DEFAULT(0),
                     enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count,
                                                size_t offset, enum cudaMemcpyKind kind,
                                                cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyToSymbol(
    const void* symbol, const void* src, size_t count, size_t offset CUVETTE_DEFAULT(0),
    enum cudaMemcpyKind kind CUVETTE_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                              size_t offset, enum cudaMemcpyKind kind,
                                              cudaStream_t stream CUVETTE_DEFAULT(0));
#endif

#ifdef __cplusplus
}
#endif
