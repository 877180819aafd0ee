// SPDX-License-Identifier: Apache-2.0
// Filling memory.
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
#define cudaMemset __CUDART_API_PTDS(cudaMemset)
#define cudaMemset2D __CUDART_API_PTDS(cudaMemset2D)
#define cudaMemset2DAsync __CUDART_API_PTSZ(cudaMemset2DAsync)
#define cudaMemset3D __CUDART_API_PTDS(cudaMemset3D)
#define cudaMemset3DAsync __CUDART_API_PTSZ(cudaMemset3DAsync)
#define cudaMemsetAsync __CUDART_API_PTSZ(cudaMemsetAsync)
#endif

// Sets count bytes to the lowest byte of value.
cudaError_t CUDARTAPI cudaMemset(void* devPtr, int value, size_t count);

// Sets height rows of width bytes to the lowest byte of value; pitch is the distance of rows in
// bytes.
cudaError_t CUDARTAPI cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width,
                                   size_t height);

// As cudaMemset2D, in the order of a stream.
cudaError_t CUDARTAPI cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width,
                                        size_t height, cudaStream_t stream CUVETTE_DEFAULT(0));

// Sets a box, its width in bytes, to the lowest byte of value.
cudaError_t CUDARTAPI cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                                   struct cudaExtent extent);

// As cudaMemset3D, in the order of a stream.
cudaError_t CUDARTAPI cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                                        struct cudaExtent extent,
                                        cudaStream_t stream CUVETTE_DEFAULT(0));

// As cudaMemset, in the order of a stream.
cudaError_t CUDARTAPI cudaMemsetAsync(void* devPtr, int value, size_t count,
                                      cudaStream_t stream CUVETTE_DEFAULT(0));

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaMemset
#undef cudaMemset2D
#undef cudaMemset2DAsync
#undef cudaMemset3D
#undef cudaMemset3DAsync
#undef cudaMemsetAsync

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaMemset(void* devPtr, int value, size_t count);
cudaError_t CUDARTAPI cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width,
                                   size_t height);
cudaError_t CUDARTAPI cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width,
                                        size_t height, cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                                   struct cudaExtent extent);
cudaError_t CUDARTAPI cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                                        struct cudaExtent extent,
                                        cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemsetAsync(void* devPtr, int value, size_t count,
                                      cudaStream_t stream CUVETTE_DEFAULT(0));
#endif

#ifdef __cplusplus
}
#endif
