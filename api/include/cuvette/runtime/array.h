// SPDX-License-Identifier: Apache-2.0
// Arrays: creating them and asking about them.
//
// Reference: CUDA Runtime API, "Memory Management".
#pragma once

#include "array_types.h"
#include "error_types.h"
#include "handle_types.h"
#include "memory_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes format, extent and flags of an array; each may be null. The extent is in elements.
cudaError_t CUDARTAPI cudaArrayGetInfo(struct cudaChannelFormatDesc* desc,
                                       struct cudaExtent* extent, unsigned int* flags,
                                       cudaArray_t array);

// Writes size and alignment, in bytes, of the memory that an array with deferred mapping needs.
cudaError_t CUDARTAPI cudaArrayGetMemoryRequirements(
    struct cudaArrayMemoryRequirements* memoryRequirements, cudaArray_t array, int device);

// Writes one plane of an array with several, such as NV12.
cudaError_t CUDARTAPI cudaArrayGetPlane(cudaArray_t* pPlaneArray, cudaArray_t hArray,
                                        unsigned int planeIdx);

// Writes the tiles of a sparse array.
cudaError_t CUDARTAPI
cudaArrayGetSparseProperties(struct cudaArraySparseProperties* sparseProperties, cudaArray_t array);

// Frees an array; null is ignored.
cudaError_t CUDARTAPI cudaFreeArray(cudaArray_t array);

// Frees a mipmapped array and its levels.
cudaError_t CUDARTAPI cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);

// Writes one level, itself an array that lives as long as the whole.
cudaError_t CUDARTAPI cudaGetMipmappedArrayLevel(cudaArray_t* levelArray,
                                                 cudaMipmappedArray_const_t mipmappedArray,
                                                 unsigned int level);

// Allocates an array of up to three dimensions, in elements. A height of 0 makes it
// one-dimensional, a depth of 0 two-dimensional; with cudaArrayLayered the depth counts layers.
cudaError_t CUDARTAPI cudaMalloc3DArray(cudaArray_t* array,
                                        const struct cudaChannelFormatDesc* desc,
                                        struct cudaExtent extent,
                                        unsigned int flags CUVETTE_DEFAULT(0));

// Allocates an array of width by height elements; a height of 0 makes it one-dimensional.
cudaError_t CUDARTAPI cudaMallocArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc,
                                      size_t width, size_t height CUVETTE_DEFAULT(0),
                                      unsigned int flags CUVETTE_DEFAULT(0));

// Allocates an array with numLevels levels, each half as large as the one before.
cudaError_t CUDARTAPI cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmappedArray,
                                               const struct cudaChannelFormatDesc* desc,
                                               struct cudaExtent extent, unsigned int numLevels,
                                               unsigned int flags CUVETTE_DEFAULT(0));

// As cudaArrayGetMemoryRequirements.
cudaError_t CUDARTAPI
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements* memoryRequirements,
                                        cudaMipmappedArray_t mipmap, int device);

// As cudaArrayGetSparseProperties.
cudaError_t CUDARTAPI cudaMipmappedArrayGetSparseProperties(
    struct cudaArraySparseProperties* sparseProperties, cudaMipmappedArray_t mipmap);

#ifdef __cplusplus
}
#endif
