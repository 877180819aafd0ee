// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: how kernels read and write arrays.
//
// Reference: CUDA Runtime API, "Texture Object Management".
#pragma once

#include "array_types.h"
#include "error_types.h"
#include "handle_types.h"
#include "resource_types.h"
#include "surface.h"
#include "texture.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns a description of an element: the bits of each part, and what they are.
struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                             enum cudaChannelFormatKind f);

// Creates a surface object on an array with cudaArraySurfaceLoadStore.
cudaError_t CUDARTAPI cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject,
                                              const struct cudaResourceDesc* pResDesc);

// Creates a texture object on an array or on linear memory. pResViewDesc may be null.
cudaError_t CUDARTAPI cudaCreateTextureObject(cudaTextureObject_t* pTexObject,
                                              const struct cudaResourceDesc* pResDesc,
                                              const struct cudaTextureDesc* pTexDesc,
                                              const struct cudaResourceViewDesc* pResViewDesc);

// Destroys a surface object.
cudaError_t CUDARTAPI cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);

// Destroys a texture object.
cudaError_t CUDARTAPI cudaDestroyTextureObject(cudaTextureObject_t texObject);

// Writes the description of an array's elements.
cudaError_t CUDARTAPI cudaGetChannelDesc(struct cudaChannelFormatDesc* desc,
                                         cudaArray_const_t array);

// Writes the resource of a surface object.
cudaError_t CUDARTAPI cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc* pResDesc,
                                                       cudaSurfaceObject_t surfObject);

// Writes the resource of a texture object.
cudaError_t CUDARTAPI cudaGetTextureObjectResourceDesc(struct cudaResourceDesc* pResDesc,
                                                       cudaTextureObject_t texObject);

// Writes the view of a texture object. cudaErrorInvalidValue if it has none.
cudaError_t CUDARTAPI cudaGetTextureObjectResourceViewDesc(
    struct cudaResourceViewDesc* pResViewDesc, cudaTextureObject_t texObject);

// Writes how a texture object reads.
cudaError_t CUDARTAPI cudaGetTextureObjectTextureDesc(struct cudaTextureDesc* pTexDesc,
                                                      cudaTextureObject_t texObject);

#ifdef __cplusplus
}
#endif
