// SPDX-License-Identifier: Apache-2.0
// Opaque handles: each points to something of the driver, or to nothing.
//
// Handles stay valid until the object is destroyed; a destroyed one must not be used again. Handles
// of streams, events, graphs, functions, libraries and pools are the driver's own and may be passed
// to it.
//
// Reference: CUDA Runtime API, "Data types used by CUDA Runtime".
#pragma once

#include "platform.h"

// The structs of these handles belong to the library.
struct cudaArray;
struct cudaMipmappedArray;
struct cudaGraphicsResource;

// An array, for textures and surfaces.
typedef struct cudaArray* cudaArray_t;
typedef const struct cudaArray* cudaArray_const_t;

// An array with levels of detail.
typedef struct cudaMipmappedArray* cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray* cudaMipmappedArray_const_t;

// A stream; null is the default stream.
typedef struct CUstream_st* cudaStream_t;

// An event.
typedef struct CUevent_st* cudaEvent_t;

// A graph, a node of one, a graph that can be launched, a node of one that kernels can change, and
// the value that a conditional node looks at.
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphDeviceUpdatableNode_st* cudaGraphDeviceNode_t;
typedef unsigned long long cudaGraphConditionalHandle;

// An object that graphs keep alive.
typedef struct CUuserObject_st* cudaUserObject_t;

// A kernel of one device, a kernel of all, and a library of them: the driver's CUfunction, CUkernel
// and CUlibrary.
typedef struct CUfunc_st* cudaFunction_t;
typedef struct CUkern_st* cudaKernel_t;
typedef struct CUlib_st* cudaLibrary_t;

// A pool of memory.
typedef struct CUmemPoolHandle_st* cudaMemPool_t;

// Memory and a semaphore of another API.
typedef struct CUexternalMemory_st* cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st* cudaExternalSemaphore_t;

// A resource of a graphics API.
typedef struct cudaGraphicsResource* cudaGraphicsResource_t;

#ifndef CU_UUID_HAS_BEEN_DEFINED
#define CU_UUID_HAS_BEEN_DEFINED
// 16 bytes that name a device, or a table of functions.
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
#endif
typedef struct CUuuid_st cudaUUID_t;
