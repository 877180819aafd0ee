// SPDX-License-Identifier: Apache-2.0
// Memory and semaphores of other APIs.
//
// Reference: CUDA Runtime API, "External Resource Interoperability".
#pragma once

#include "error_types.h"
#include "external_resource_types.h"
#include "handle_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// The exported symbol that each of these names expands to in CUDA 12.
#if CUVETTE_CUDART_MAJOR == 12
#define cudaSignalExternalSemaphoresAsync __CUDART_API_PTSZ(cudaSignalExternalSemaphoresAsync_v2)
#define cudaWaitExternalSemaphoresAsync __CUDART_API_PTSZ(cudaWaitExternalSemaphoresAsync_v2)
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#if CUVETTE_CUDART_MAJOR >= 13
#define cudaSignalExternalSemaphoresAsync __CUDART_API_PTSZ(cudaSignalExternalSemaphoresAsync)
#endif
#if CUVETTE_CUDART_MAJOR >= 13
#define cudaWaitExternalSemaphoresAsync __CUDART_API_PTSZ(cudaWaitExternalSemaphoresAsync)
#endif
#if CUVETTE_CUDART_MAJOR == 12
#define cudaSignalExternalSemaphoresAsync_v2 __CUDART_API_PTSZ(cudaSignalExternalSemaphoresAsync_v2)
#define cudaWaitExternalSemaphoresAsync_v2 __CUDART_API_PTSZ(cudaWaitExternalSemaphoresAsync_v2)
#endif
#endif

// Destroys an imported memory object. Its mappings must be freed before.
cudaError_t CUDARTAPI cudaDestroyExternalMemory(cudaExternalMemory_t extMem);

// Destroys an imported semaphore. No work may still use it.
cudaError_t CUDARTAPI cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem);

// Maps a range of the memory, in bytes, as a buffer, and writes its device address; free it with
// cudaFree.
cudaError_t CUDARTAPI
cudaExternalMemoryGetMappedBuffer(void** devPtr, cudaExternalMemory_t extMem,
                                  const struct cudaExternalMemoryBufferDesc* bufferDesc);

// Maps an image in the memory; free it with cudaFreeMipmappedArray.
cudaError_t CUDARTAPI cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t* mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc* mipmapDesc);

// Imports memory of another API by its handle. A file descriptor then belongs to the driver.
cudaError_t CUDARTAPI cudaImportExternalMemory(
    cudaExternalMemory_t* extMem_out, const struct cudaExternalMemoryHandleDesc* memHandleDesc);

// Imports a semaphore of another API by its handle. A file descriptor then belongs to the driver.
cudaError_t CUDARTAPI
cudaImportExternalSemaphore(cudaExternalSemaphore_t* extSem_out,
                            const struct cudaExternalSemaphoreHandleDesc* semHandleDesc);

// Signals semaphores when the work before it is complete.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the name expands to the second version.
cudaError_t CUDARTAPI cudaSignalExternalSemaphoresAsync_v2(
    const cudaExternalSemaphore_t* extSemArray,
    const struct cudaExternalSemaphoreSignalParams* paramsArray, unsigned int numExtSems,
    cudaStream_t stream CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t* extSemArray,
                                  const struct cudaExternalSemaphoreSignalParams* paramsArray,
                                  unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
#endif

// Makes later work of the stream wait for semaphores.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the name expands to the second version.
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t* extSemArray,
                                   const struct cudaExternalSemaphoreWaitParams* paramsArray,
                                   unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* extSemArray,
                                const struct cudaExternalSemaphoreWaitParams* paramsArray,
                                unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
#endif

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync
#undef cudaSignalExternalSemaphoresAsync_v2
#undef cudaWaitExternalSemaphoresAsync_v2

// The twins with the legacy default stream.
#if CUVETTE_CUDART_MAJOR == 12
cudaError_t CUDARTAPI cudaSignalExternalSemaphoresAsync_v2(
    const cudaExternalSemaphore_t* extSemArray,
    const struct cudaExternalSemaphoreSignalParams* paramsArray, unsigned int numExtSems,
    cudaStream_t stream CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t* extSemArray,
                                  const struct cudaExternalSemaphoreSignalParams* paramsArray,
                                  unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
#endif
#if CUVETTE_CUDART_MAJOR == 12
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t* extSemArray,
                                   const struct cudaExternalSemaphoreWaitParams* paramsArray,
                                   unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* extSemArray,
                                const struct cudaExternalSemaphoreWaitParams* paramsArray,
                                unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
#endif

#if CUVETTE_CUDART_MAJOR == 12
// Functions that CUDA 12 exports for programs of older versions.
cudaError_t CUDARTAPI
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t* extSemArray,
                                  const struct cudaExternalSemaphoreSignalParams_v1* paramsArray,
                                  unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaSignalExternalSemaphoresAsync_ptsz(
    const cudaExternalSemaphore_t* extSemArray,
    const struct cudaExternalSemaphoreSignalParams_v1* paramsArray, unsigned int numExtSems,
    cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* extSemArray,
                                const struct cudaExternalSemaphoreWaitParams_v1* paramsArray,
                                unsigned int numExtSems, cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaWaitExternalSemaphoresAsync_ptsz(
    const cudaExternalSemaphore_t* extSemArray,
    const struct cudaExternalSemaphoreWaitParams_v1* paramsArray, unsigned int numExtSems,
    cudaStream_t stream CUVETTE_DEFAULT(0));
#endif
#endif

#ifdef __cplusplus
}
#endif
