// SPDX-License-Identifier: Apache-2.0
// OpenGL: buffers and images that CUDA shares.
//
// The functions need an OpenGL context that is current on the calling thread; without one they
// return cudaErrorInvalidGraphicsContext.
//
// Reference: CUDA Runtime API, "OpenGL Interoperability".
#ifndef __CUDA_GL_INTEROP_H__
#define __CUDA_GL_INTEROP_H__

#if defined(__APPLE__)
#include <OpenGL/gl.h>
#elif !defined(GL_VERSION)
#include <GL/gl.h>
#endif

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which devices cudaGLGetDevices writes: all devices of the context, or only the ones that draw a
// frame.
enum cudaGLDeviceList {
  cudaGLDeviceListAll = 1,
  cudaGLDeviceListCurrentFrame = 2,
  cudaGLDeviceListNextFrame = 3,
};

// How CUDA will use a buffer that the old functions registered.
enum cudaGLMapFlags {
  cudaGLMapFlagsNone = 0,
  cudaGLMapFlagsReadOnly = 1,
  cudaGLMapFlagsWriteDiscard = 2,
};

// Writes the devices of the current OpenGL context, at most cudaDeviceCount, and their number.
// cudaErrorNoDevice if it has none.
cudaError_t CUDARTAPI cudaGLGetDevices(unsigned int* pCudaDeviceCount, int* pCudaDevices,
                                       unsigned int cudaDeviceCount,
                                       enum cudaGLDeviceList deviceList);

// Registers a buffer; flags are cudaGraphicsRegisterFlags.
cudaError_t CUDARTAPI cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource** resource,
                                                   GLuint buffer, unsigned int flags);

// Registers a texture or a renderbuffer; target says which kind. cudaErrorInvalidValue for
// formats that arrays do not have.
cudaError_t CUDARTAPI cudaGraphicsGLRegisterImage(struct cudaGraphicsResource** resource,
                                                  GLuint image, GLenum target, unsigned int flags);

#if defined(_WIN32)
#ifndef WGL_NV_gpu_affinity
typedef void* HGPUNV;
#endif

// Writes the CUDA device of a WGL_NV_gpu_affinity handle.
cudaError_t CUDARTAPI cudaWGLGetDevice(int* device, HGPUNV hGpu);
#endif

// The functions from before CUDA 3, which name buffers by their OpenGL number, not by a resource.

// Maps a buffer and writes its address.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLMapBufferObject(void** devPtr, GLuint bufObj);

// As cudaGLMapBufferObject, in a stream's order.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLMapBufferObjectAsync(void** devPtr,
                                                                           GLuint bufObj,
                                                                           cudaStream_t stream);

// Registers a buffer.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLRegisterBufferObject(GLuint bufObj);

// Sets how CUDA will use a buffer from the next mapping on: cudaGLMapFlags.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLSetBufferObjectMapFlags(GLuint bufObj,
                                                                              unsigned int flags);

// Selects the calling thread's device for work with OpenGL.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLSetGLDevice(int device);

// Unmaps a buffer, so that OpenGL can use it again.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLUnmapBufferObject(GLuint bufObj);

// As cudaGLUnmapBufferObject, in a stream's order.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLUnmapBufferObjectAsync(GLuint bufObj,
                                                                             cudaStream_t stream);

// Ends a registration.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI cudaGLUnregisterBufferObject(GLuint bufObj);

#ifdef __cplusplus
}
#endif

#endif
