// SPDX-License-Identifier: Apache-2.0
// VDPAU: surfaces that CUDA shares.
//
// Reference: CUDA Runtime API, "VDPAU Interoperability".
#ifndef __CUDA_VDPAU_INTEROP_H__
#define __CUDA_VDPAU_INTEROP_H__

#include <vdpau/vdpau.h>

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers an output surface, for flags of cudaGraphicsRegisterFlags.
cudaError_t CUDARTAPI cudaGraphicsVDPAURegisterOutputSurface(struct cudaGraphicsResource** resource,
                                                             VdpOutputSurface vdpSurface,
                                                             unsigned int flags);

// Registers a video surface: its resource has one array for each field and plane.
cudaError_t CUDARTAPI cudaGraphicsVDPAURegisterVideoSurface(struct cudaGraphicsResource** resource,
                                                            VdpVideoSurface vdpSurface,
                                                            unsigned int flags);

// Writes the CUDA device of a VDPAU device.
cudaError_t CUDARTAPI cudaVDPAUGetDevice(int* device, VdpDevice vdpDevice,
                                         VdpGetProcAddress* vdpGetProcAddress);

// Makes a device the thread's, for work with a VDPAU device; before any other call of the device.
cudaError_t CUDARTAPI cudaVDPAUSetVDPAUDevice(int device, VdpDevice vdpDevice,
                                              VdpGetProcAddress* vdpGetProcAddress);

#ifdef __cplusplus
}
#endif

#endif
