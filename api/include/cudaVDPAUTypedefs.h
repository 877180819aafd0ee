// SPDX-License-Identifier: Apache-2.0
// Types of pointers to the functions of cudaVDPAU.h: PFN_NAME_vVERSION, where VERSION is the CUDA
// version (1000 * major + 10 * minor) that brought the function in this form. With that number
// cuGetProcAddress answers with a function of this type. Pointers to per-thread twins end in _ptds
// or _ptsz.
#ifndef CUDAVDPAUTYPEDEFS_H
#define CUDAVDPAUTYPEDEFS_H

#include "cudaVDPAU.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef CUresult(CUDAAPI* PFN_cuGraphicsVDPAURegisterOutputSurface_v3010)(
    CUgraphicsResource* pCudaResource, VdpOutputSurface vdpSurface, unsigned int flags);
typedef CUresult(CUDAAPI* PFN_cuGraphicsVDPAURegisterVideoSurface_v3010)(
    CUgraphicsResource* pCudaResource, VdpVideoSurface vdpSurface, unsigned int flags);
typedef CUresult(CUDAAPI* PFN_cuVDPAUCtxCreate_v3020)(CUcontext* pCtx, unsigned int flags,
                                                      CUdevice_v1 device, VdpDevice vdpDevice,
                                                      VdpGetProcAddress* vdpGetProcAddress);
typedef CUresult(CUDAAPI* PFN_cuVDPAUGetDevice_v3010)(CUdevice_v1* pDevice, VdpDevice vdpDevice,
                                                      VdpGetProcAddress* vdpGetProcAddress);

#if defined(__CUDA_API_VERSION_INTERNAL)
typedef CUresult(CUDAAPI* PFN_cuVDPAUCtxCreate_v3010)(CUcontext* pCtx, unsigned int flags,
                                                      CUdevice_v1 device, VdpDevice vdpDevice,
                                                      VdpGetProcAddress* vdpGetProcAddress);
#endif

#ifdef __cplusplus
}
#endif

#endif
