// SPDX-License-Identifier: Apache-2.0
// Resources of a graphics API, registered with the functions of cudaGL.h, cudaEGL.h or cudaVDPAU.h.
//
// Between mapping and unmapping a resource belongs to CUDA: the graphics API must not touch it, and
// CUDA must not touch it outside. Mapping waits for graphics work issued before it; graphics work
// issued after unmapping waits for the CUDA work before it.
//
// Reference: CUDA Driver API, "Graphics Interoperability".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// The use that CUDA makes of a resource until it is unmapped.
typedef enum CUgraphicsMapResourceFlags_enum {
  CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0x0,
  CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 0x1,
  CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 0x2,
} CUgraphicsMapResourceFlags;

// The use that CUDA makes of a resource: READ_ONLY never writes, WRITE_DISCARD writes the whole and
// reads nothing, SURFACE_LDST binds it to a surface, TEXTURE_GATHER gathers from it.
typedef enum CUgraphicsRegisterFlags_enum {
  CU_GRAPHICS_REGISTER_FLAGS_NONE = 0x0,
  CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 0x1,
  CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 0x2,
  CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 0x4,
  CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 0x8,
} CUgraphicsRegisterFlags;

// The exported symbol that each of these names expands to.
#define cuGraphicsResourceGetMappedPointer cuGraphicsResourceGetMappedPointer_v2
#define cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2

// These have a per-thread twin only.
#if defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cuGraphicsMapResources __CUDA_API_PTSZ(cuGraphicsMapResources)
#define cuGraphicsUnmapResources __CUDA_API_PTSZ(cuGraphicsUnmapResources)
#endif

// Maps count resources in hStream's order, all or none. CUDA_ERROR_INVALID_VALUE if count is 0,
// CUDA_ERROR_ALREADY_MAPPED if one is mapped, CUDA_ERROR_INVALID_HANDLE if one is not a resource
// or is listed twice.
CUresult CUDAAPI cuGraphicsMapResources(unsigned int count, CUgraphicsResource* resources,
                                        CUstream hStream);

// Writes the mip-mapped array of a mapped resource.
CUresult CUDAAPI cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray* pMipmappedArray,
                                                           CUgraphicsResource resource);

// Writes the device address and size in bytes of a mapped resource; the address may change with
// each mapping. CUDA_ERROR_NOT_MAPPED_AS_POINTER for an image, CUDA_ERROR_NOT_MAPPED if it is not
// mapped.
CUresult CUDAAPI cuGraphicsResourceGetMappedPointer(CUdeviceptr* pDevPtr, size_t* pSize,
                                                    CUgraphicsResource resource);

// Sets the CUgraphicsMapResourceFlags of the next mapping. CUDA_ERROR_ALREADY_MAPPED while it is
// mapped, CUDA_ERROR_INVALID_VALUE for other flags.
CUresult CUDAAPI cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags);

// Writes the array of one layer and mip level of a mapped resource. CUDA_ERROR_NOT_MAPPED_AS_ARRAY
// for a buffer, CUDA_ERROR_INVALID_VALUE for a layer or a level that it does not have.
CUresult CUDAAPI cuGraphicsSubResourceGetMappedArray(CUarray* pArray, CUgraphicsResource resource,
                                                     unsigned int arrayIndex,
                                                     unsigned int mipLevel);

// Unmaps count resources in hStream's order, all or none. CUDA_ERROR_INVALID_VALUE if count is 0,
// CUDA_ERROR_NOT_MAPPED if one is not mapped, CUDA_ERROR_INVALID_HANDLE if one is not a resource
// or is listed twice.
CUresult CUDAAPI cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource* resources,
                                          CUstream hStream);

// Ends a registration. CUDA_ERROR_ALREADY_MAPPED while the resource is mapped.
CUresult CUDAAPI cuGraphicsUnregisterResource(CUgraphicsResource resource);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuGraphicsMapResources
#undef cuGraphicsResourceGetMappedPointer
#undef cuGraphicsResourceSetMapFlags
#undef cuGraphicsUnmapResources

// The other versions that the library exports.
CUresult CUDAAPI cuGraphicsMapResources(unsigned int count, CUgraphicsResource* resources,
                                        CUstream hStream);
CUresult CUDAAPI cuGraphicsResourceGetMappedPointer(CUdeviceptr_v1* pDevPtr, unsigned int* pSize,
                                                    CUgraphicsResource resource);
CUresult CUDAAPI cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags);
CUresult CUDAAPI cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource* resources,
                                          CUstream hStream);
#endif

#ifdef __cplusplus
}
#endif
