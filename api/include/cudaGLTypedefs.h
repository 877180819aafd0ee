// SPDX-License-Identifier: Apache-2.0
// Types of pointers to the functions of cudaGL.h: PFN_NAME_vVERSION, where VERSION is the CUDA
// version (1000 * major + 10 * minor) that brought the function in this form. With that number
// cuGetProcAddress answers with a function of this type. Pointers to per-thread twins end in _ptds
// or _ptsz.
#ifndef CUDAGLTYPEDEFS_H
#define CUDAGLTYPEDEFS_H

#include "cudaGL.h"

#include "cuvette/typedef_name.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef CUresult(CUDAAPI* PFN_cuGLCtxCreate_v3020)(CUcontext* pCtx, unsigned int Flags,
                                                   CUdevice_v1 device);
typedef CUresult(CUDAAPI* PFN_cuGLGetDevices_v6050)(unsigned int* pCudaDeviceCount,
                                                    CUdevice_v1* pCudaDevices,
                                                    unsigned int cudaDeviceCount,
                                                    CUGLDeviceList deviceList);
typedef CUresult(CUDAAPI* PFN_cuGLInit_v2000)(void);
typedef CUresult(CUDAAPI* PFN_cuGLMapBufferObject_v3020)(CUdeviceptr_v2* dptr, size_t* size,
                                                         GLuint buffer);
typedef CUresult(CUDAAPI* PFN_cuGLMapBufferObject_v7000_ptds)(CUdeviceptr_v2* dptr, size_t* size,
                                                              GLuint buffer);
typedef CUresult(CUDAAPI* PFN_cuGLMapBufferObjectAsync_v3020)(CUdeviceptr_v2* dptr, size_t* size,
                                                              GLuint buffer, CUstream hStream);
typedef CUresult(CUDAAPI* PFN_cuGLMapBufferObjectAsync_v7000_ptsz)(CUdeviceptr_v2* dptr,
                                                                   size_t* size, GLuint buffer,
                                                                   CUstream hStream);
typedef CUresult(CUDAAPI* PFN_cuGLRegisterBufferObject_v2000)(GLuint buffer);
typedef CUresult(CUDAAPI* PFN_cuGLSetBufferObjectMapFlags_v2030)(GLuint buffer, unsigned int Flags);
typedef CUresult(CUDAAPI* PFN_cuGLUnmapBufferObject_v2000)(GLuint buffer);
typedef CUresult(CUDAAPI* PFN_cuGLUnmapBufferObjectAsync_v2030)(GLuint buffer, CUstream hStream);
typedef CUresult(CUDAAPI* PFN_cuGLUnregisterBufferObject_v2000)(GLuint buffer);
typedef CUresult(CUDAAPI* PFN_cuGraphicsGLRegisterBuffer_v3000)(CUgraphicsResource* pCudaResource,
                                                                GLuint buffer, unsigned int Flags);
typedef CUresult(CUDAAPI* PFN_cuGraphicsGLRegisterImage_v3000)(CUgraphicsResource* pCudaResource,
                                                               GLuint image, GLenum target,
                                                               unsigned int Flags);

#if defined(__CUDA_API_VERSION_INTERNAL)
typedef CUresult(CUDAAPI* PFN_cuGLCtxCreate_v2000)(CUcontext* pCtx, unsigned int Flags,
                                                   CUdevice_v1 device);
typedef CUresult(CUDAAPI* PFN_cuGLGetDevices_v4010)(unsigned int* pCudaDeviceCount,
                                                    CUdevice_v1* pCudaDevices,
                                                    unsigned int cudaDeviceCount,
                                                    CUGLDeviceList deviceList);
typedef CUresult(CUDAAPI* PFN_cuGLMapBufferObject_v2000)(CUdeviceptr_v1* dptr, unsigned int* size,
                                                         GLuint buffer);
typedef CUresult(CUDAAPI* PFN_cuGLMapBufferObjectAsync_v2030)(CUdeviceptr_v1* dptr,
                                                              unsigned int* size, GLuint buffer,
                                                              CUstream hStream);
#endif

#ifdef _WIN32
typedef CUresult(CUDAAPI* PFN_cuWGLGetDevice_v2020)(CUdevice_v1* pDevice, HGPUNV hGpu);
#endif

#ifdef __cplusplus
}
#endif

#endif
