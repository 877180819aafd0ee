// SPDX-License-Identifier: Apache-2.0
// VDPAU surfaces for CUDA.
//
// Reference: CUDA Driver API, "VDPAU Interoperability".
#ifndef CUDAVDPAU_H
#define CUDAVDPAU_H

#include <vdpau/vdpau.h>

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

// The exported symbol that each of these names expands to.
#define cuVDPAUCtxCreate cuVDPAUCtxCreate_v2

// Registers an output surface: one array.
CUresult CUDAAPI cuGraphicsVDPAURegisterOutputSurface(CUgraphicsResource* pCudaResource,
                                                      VdpOutputSurface vdpSurface,
                                                      unsigned int flags);

// Registers a video surface: four arrays, two fields of luma and two of chroma.
CUresult CUDAAPI cuGraphicsVDPAURegisterVideoSurface(CUgraphicsResource* pCudaResource,
                                                     VdpVideoSurface vdpSurface,
                                                     unsigned int flags);

// Creates a context that can use a VDPAU device.
CUresult CUDAAPI cuVDPAUCtxCreate(CUcontext* pCtx, unsigned int flags, CUdevice device,
                                  VdpDevice vdpDevice, VdpGetProcAddress* vdpGetProcAddress);

// Writes the CUDA device of a VDPAU device.
CUresult CUDAAPI cuVDPAUGetDevice(CUdevice* pDevice, VdpDevice vdpDevice,
                                  VdpGetProcAddress* vdpGetProcAddress);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuVDPAUCtxCreate

// The other versions that the library exports.
CUresult CUDAAPI cuVDPAUCtxCreate(CUcontext* pCtx, unsigned int flags, CUdevice device,
                                  VdpDevice vdpDevice, VdpGetProcAddress* vdpGetProcAddress);
#endif

#ifdef __cplusplus
}
#endif

#endif
