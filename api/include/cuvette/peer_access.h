// SPDX-License-Identifier: Apache-2.0
// Access of one device to the memory of another.
//
// Reference: CUDA Driver API, "Peer Context Memory Access".
#pragma once

#include "device.h"
#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUdevice_P2PAttribute_enum {
  CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
  CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED = 4,
  CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
  CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5,
} CUdevice_P2PAttribute;

// Reverses cuCtxEnablePeerAccess. CUDA_ERROR_PEER_ACCESS_NOT_ENABLED if it was not called.
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peerContext);

// Lets the current context reach the memory of another. Flags must be 0.
// CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED the second time.
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags);

// Writes whether dev can reach the memory of peerDev.
CUresult CUDAAPI cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev);

// Writes, for each of count operations, the forms that one device can execute atomically on the
// memory of another.
CUresult CUDAAPI cuDeviceGetP2PAtomicCapabilities(unsigned int* capabilities,
                                                  const CUatomicOperation* operations,
                                                  unsigned int count, CUdevice srcDevice,
                                                  CUdevice dstDevice);

// Writes an attribute of the link between two devices.
CUresult CUDAAPI cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib,
                                         CUdevice srcDevice, CUdevice dstDevice);

#ifdef __cplusplus
}
#endif
