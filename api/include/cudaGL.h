// SPDX-License-Identifier: Apache-2.0
// OpenGL resources for CUDA. The calling thread must have a current OpenGL context, and it must be
// the one that the resource belongs to or one that shares with it.
//
// The functions with BufferObject in their name are the interface from before CUDA 3.0; they are
// deprecated in favour of the functions of cuvette/graphics.h.
//
// Reference: CUDA Driver API, "OpenGL Interoperability".
#ifndef CUDAGL_H
#define CUDAGL_H

#include <GL/gl.h>

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && !defined(WGL_NV_gpu_affinity)
typedef void* HGPUNV;
#endif

// The devices that OpenGL uses: for all frames, for the current one, or for the next one.
typedef enum CUGLDeviceList_enum {
  CU_GL_DEVICE_LIST_ALL = 1,
  CU_GL_DEVICE_LIST_CURRENT_FRAME = 2,
  CU_GL_DEVICE_LIST_NEXT_FRAME = 3,
} CUGLDeviceList;

// The use that CUDA makes of a mapped buffer object.
typedef enum CUGLmap_flags_enum {
  CU_GL_MAP_RESOURCE_FLAGS_NONE = 0x0,
  CU_GL_MAP_RESOURCE_FLAGS_READ_ONLY = 0x1,
  CU_GL_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 0x2,
} CUGLmap_flags;

// The exported symbol that each of these names expands to.
#define cuGLCtxCreate cuGLCtxCreate_v2
#define cuGLGetDevices cuGLGetDevices_v2
#define cuGLMapBufferObject __CUDA_API_PTDS(cuGLMapBufferObject_v2)
#define cuGLMapBufferObjectAsync __CUDA_API_PTSZ(cuGLMapBufferObjectAsync_v2)

// Writes the CUDA devices of the current OpenGL context.
CUresult CUDAAPI cuGLGetDevices(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                                unsigned int cudaDeviceCount, CUGLDeviceList deviceList);

// Registers a buffer object. Flags is CU_GRAPHICS_REGISTER_FLAGS_NONE, READ_ONLY or WRITE_DISCARD,
// else CUDA_ERROR_INVALID_VALUE. CUDA_ERROR_INVALID_HANDLE if OpenGL has no such buffer,
// CUDA_ERROR_INVALID_GRAPHICS_CONTEXT without an OpenGL context.
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource* pCudaResource, GLuint buffer,
                                            unsigned int Flags);

// Registers a texture or a renderbuffer; target must be the object's. Flags are
// CUgraphicsRegisterFlags. Errors: as for cuGraphicsGLRegisterBuffer.
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource* pCudaResource, GLuint image,
                                           GLenum target, unsigned int Flags);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLCtxCreate(CUcontext* pCtx, unsigned int Flags,
                                                  CUdevice device);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLInit(void);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLMapBufferObject(CUdeviceptr* dptr, size_t* size,
                                                        GLuint buffer);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLMapBufferObjectAsync(CUdeviceptr* dptr, size_t* size,
                                                             GLuint buffer, CUstream hStream);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLRegisterBufferObject(GLuint buffer);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLSetBufferObjectMapFlags(GLuint buffer, unsigned int Flags);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLUnmapBufferObject(GLuint buffer);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLUnmapBufferObjectAsync(GLuint buffer, CUstream hStream);

CUVETTE_DEPRECATED CUresult CUDAAPI cuGLUnregisterBufferObject(GLuint buffer);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuGLCtxCreate
#undef cuGLGetDevices
#undef cuGLMapBufferObject
#undef cuGLMapBufferObjectAsync

// The other versions that the library exports.
CUresult CUDAAPI cuGLCtxCreate(CUcontext* pCtx, unsigned int Flags, CUdevice device);
CUresult CUDAAPI cuGLGetDevices(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices,
                                unsigned int cudaDeviceCount, CUGLDeviceList deviceList);
CUresult CUDAAPI cuGLMapBufferObject(CUdeviceptr_v1* dptr, unsigned int* size, GLuint buffer);
CUresult CUDAAPI cuGLMapBufferObject_v2(CUdeviceptr* dptr, size_t* size, GLuint buffer);
CUresult CUDAAPI cuGLMapBufferObjectAsync(CUdeviceptr_v1* dptr, unsigned int* size, GLuint buffer,
                                          CUstream hStream);
CUresult CUDAAPI cuGLMapBufferObjectAsync_v2(CUdeviceptr* dptr, size_t* size, GLuint buffer,
                                             CUstream hStream);
#endif

#ifdef _WIN32
// Finds the CUDA device of a WGL_NV_gpu_affinity handle.
CUresult CUDAAPI cuWGLGetDevice(CUdevice* pDevice, HGPUNV hGpu);
#endif

#ifdef __cplusplus
}
#endif

#endif
