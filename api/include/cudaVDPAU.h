// SPDX-License-Identifier: Apache-2.0
#ifndef CUDAVDPAU_H
#define CUDAVDPAU_H

#include <vdpau/vdpau.h>

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

// The exported symbol that each of these names stands for.
#define cuVDPAUCtxCreate cuVDPAUCtxCreate_v2

CUresult CUDAAPI cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource* pCudaResource,
                                                      VdpOutputSurface vdpSurface,
                                                      unsigned int flags);

CUresult CUDAAPI cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource* pCudaResource,
                                                     VdpVideoSurface vdpSurface,
                                                     unsigned int flags);

CUresult CUDAAPI cuVDPAUCtxCreate(CUcontext* pCtx, unsigned int flags, CUdevice device,
                                  VdpDevice vdpDevice, VdpGetProcAddress* vdpGetProcAddress);

CUresult CUDAAPI cuVDPAUGetDevice(CUdevice* pDevice, VdpDevice vdpDevice,
                                  VdpGetProcAddress* vdpGetProcAddress);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuVDPAUCtxCreate

// Every other version that the library exports.
CUresult CUDAAPI cuVDPAUCtxCreate(CUcontext* pCtx, unsigned int flags, CUdevice device,
                                  VdpDevice vdpDevice, VdpGetProcAddress* vdpGetProcAddress);
#endif

#ifdef __cplusplus
}
#endif

#endif
