// SPDX-License-Identifier: Apache-2.0
// Peer access: one device reads and writes another's memory.
//
// Reference: CUDA Runtime API, "Peer Device Memory Access".
#pragma once

#include "error_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes whether device can reach the memory of peerDevice: 1 or 0.
cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice);

// Ends access of the thread's device to the memory of another one. cudaErrorPeerAccessNotEnabled if
// there was none.
cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int peerDevice);

// Lets the thread's device reach the memory of another one, one way. flags must be 0.
// cudaErrorPeerAccessAlreadyEnabled when called again.
cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);

#ifdef __cplusplus
}
#endif
