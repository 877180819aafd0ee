// SPDX-License-Identifier: Apache-2.0
// Resources that a graphics API shares.
//
// Reference: CUDA Runtime API, "Graphics Interoperability".
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lets CUDA use resources, after the work that the graphics API submitted before.
// cudaErrorAlreadyMapped if one is mapped.
cudaError_t CUDARTAPI cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources,
                                               cudaStream_t stream CUVETTE_DEFAULT(0));

// Writes the image of a mapped resource, with its levels.
cudaError_t CUDARTAPI cudaGraphicsResourceGetMappedMipmappedArray(
    cudaMipmappedArray_t* mipmappedArray, cudaGraphicsResource_t resource);

// Writes address and size, in bytes, of a mapped buffer. cudaErrorNotMappedAsPointer for an image.
cudaError_t CUDARTAPI cudaGraphicsResourceGetMappedPointer(void** devPtr, size_t* size,
                                                           cudaGraphicsResource_t resource);

// Says how CUDA will use the resource: cudaGraphicsMapFlags, from the next mapping on.
cudaError_t CUDARTAPI cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
                                                      unsigned int flags);

// Writes one face and level of a mapped image. cudaErrorNotMappedAsArray for a buffer.
cudaError_t CUDARTAPI cudaGraphicsSubResourceGetMappedArray(cudaArray_t* array,
                                                            cudaGraphicsResource_t resource,
                                                            unsigned int arrayIndex,
                                                            unsigned int mipLevel);

// Gives resources back to the graphics API, after the work of the stream. cudaErrorNotMapped if one
// is not mapped.
cudaError_t CUDARTAPI cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources,
                                                 cudaStream_t stream CUVETTE_DEFAULT(0));

// Ends a registration.
cudaError_t CUDARTAPI cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);

#ifdef __cplusplus
}
#endif
