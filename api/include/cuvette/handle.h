// SPDX-License-Identifier: Apache-2.0
// Handles, by which programs name the driver's objects, and addresses of device memory.
//
// A handle is opaque: the struct that it points to belongs to the library. Handles stay valid until
// the object is destroyed; a destroyed one must not be used again.
//
// Reference: CUDA Driver API, "Data types used by CUDA driver".
#pragma once

#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// CU_IPC_HANDLE_SIZE is in bytes. The two streams are the legacy default stream and the calling
// thread's own default stream. CU_DEVICE_CPU stands for the host where a function takes a
// location of memory.
#define CU_IPC_HANDLE_SIZE 64
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)

typedef struct CUarray_st* CUarray;
typedef struct CUasyncCallbackEntry_st* CUasyncCallbackHandle;
typedef struct CUctx_st* CUcontext;

// A device: its ordinal, from 0.
typedef int CUdevice_v1;
typedef CUdevice_v1 CUdevice;

// An address in device memory, in bytes.
#if defined(_WIN64) || defined(__LP64__)
typedef unsigned long long CUdeviceptr_v2;
#else
typedef unsigned int CUdeviceptr_v2;
#endif
typedef CUdeviceptr_v2 CUdeviceptr;

typedef struct CUevent_st* CUevent;
typedef struct CUextMemory_st* CUexternalMemory;
typedef struct CUextSemaphore_st* CUexternalSemaphore;
typedef struct CUfunc_st* CUfunction;
typedef struct CUgraph_st* CUgraph;
typedef cuuint64_t CUgraphConditionalHandle;
typedef struct CUgraphDeviceUpdatableNode_st* CUgraphDeviceNode;
typedef struct CUgraphExec_st* CUgraphExec;
typedef struct CUgraphicsResource_st* CUgraphicsResource;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUgreenCtx_st* CUgreenCtx;
typedef struct CUkern_st* CUkernel;
typedef struct CUlib_st* CUlibrary;
typedef unsigned long long CUmemGenericAllocationHandle_v1;
typedef CUmemGenericAllocationHandle_v1 CUmemGenericAllocationHandle;
typedef struct CUmemPoolHandle_st* CUmemoryPool;
typedef struct CUmipmappedArray_st* CUmipmappedArray;
typedef struct CUmod_st* CUmodule;
typedef struct CUstream_st* CUstream;
typedef unsigned long long CUsurfObject_v1;
typedef CUsurfObject_v1 CUsurfObject;
typedef struct CUsurfref_st* CUsurfref;
typedef unsigned long long CUtexObject_v1;
typedef CUtexObject_v1 CUtexObject;
typedef struct CUtexref_st* CUtexref;
typedef struct CUuserObject_st* CUuserObject;

#ifndef CU_UUID_HAS_BEEN_DEFINED
#define CU_UUID_HAS_BEEN_DEFINED
// 16 bytes that name a device, or a table of cuGetExportTable.
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
#endif

#if defined(__CUDA_API_VERSION_INTERNAL)
// The address type from before CUDA 3.2, when addresses had 32 bits.
typedef unsigned int CUdeviceptr_v1;
#endif

#ifdef __cplusplus
}
#endif
