// SPDX-License-Identifier: Apache-2.0
// Green contexts: contexts that own a part of a device's resources, such as some of its
// multiprocessors.
//
// Reference: CUDA Driver API, "Green Contexts".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// Version of CUdevResource and the bytes that it keeps for the description of a resource.
#define RESOURCE_ABI_VERSION 1
#define RESOURCE_ABI_EXTERNAL_BYTES 48

typedef enum {
  CU_DEV_RESOURCE_TYPE_INVALID = 0,
  CU_DEV_RESOURCE_TYPE_SM = 1,
#if defined(__CUDA_API_VERSION_INTERNAL) && !defined(__CUDA_API_VERSION_INTERNAL_ODR)
  CU_DEV_RESOURCE_TYPE_MAX = 2,
#endif
} CUdevResourceType;

typedef struct CUdevSmResource_st {
  unsigned int smCount;
  unsigned int minSmPartitionSize;
  unsigned int smCoscheduledAlignment;
} CUdevSmResource;

// A part of a device's resources: type selects the member.
typedef struct CUdevResource_st {
  CUdevResourceType type;
  unsigned char _internal_padding[92];
  CUVETTE_EXTENSION union {
    CUdevSmResource sm;
    unsigned char _oversize[RESOURCE_ABI_EXTERNAL_BYTES];
  };
} CUdevResource_v1;
typedef CUdevResource_v1 CUdevResource;

typedef struct CUdevResourceDesc_st* CUdevResourceDesc;

typedef enum {
  CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 0x1,
  CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE = 0x2,
} CUdevSmResourceSplit_flags;

typedef enum {
  CU_GREEN_CTX_DEFAULT_STREAM = 0x1,
} CUgreenCtxCreate_flags;

// Writes the CUcontext of a green context, which can be made current.
CUresult CUDAAPI cuCtxFromGreenCtx(CUcontext* pContext, CUgreenCtx hCtx);

// Writes the resources of a context.
CUresult CUDAAPI cuCtxGetDevResource(CUcontext hCtx, CUdevResource* resource,
                                     CUdevResourceType type);

// Writes the resources of a device.
CUresult CUDAAPI cuDeviceGetDevResource(CUdevice device, CUdevResource* resource,
                                        CUdevResourceType type);

// Creates a description of resources for cuGreenCtxCreate.
CUresult CUDAAPI cuDevResourceGenerateDesc(CUdevResourceDesc* phDesc, CUdevResource* resources,
                                           unsigned int nbResources);

// Splits multiprocessors into groups of at least minCount.
CUresult CUDAAPI cuDevSmResourceSplitByCount(CUdevResource* result, unsigned int* nbGroups,
                                             const CUdevResource* input, CUdevResource* remaining,
                                             unsigned int useFlags, unsigned int minCount);

// Creates a green context with the described resources.
CUresult CUDAAPI cuGreenCtxCreate(CUgreenCtx* phCtx, CUdevResourceDesc desc, CUdevice dev,
                                  unsigned int flags);

// Destroys a green context.
CUresult CUDAAPI cuGreenCtxDestroy(CUgreenCtx hCtx);

// Writes the resources of a green context.
CUresult CUDAAPI cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource* resource,
                                          CUdevResourceType type);

// Writes a number that no other green context of this process ever has.
CUresult CUDAAPI cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long* greenCtxId);

// Records in hEvent all work of a green context so far.
CUresult CUDAAPI cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent);

// Creates a stream of a green context.
CUresult CUDAAPI cuGreenCtxStreamCreate(CUstream* phStream, CUgreenCtx greenCtx, unsigned int flags,
                                        int priority);

// Makes all later work of a green context wait for hEvent.
CUresult CUDAAPI cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent);

// Writes the green context of a stream, or null.
CUresult CUDAAPI cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx* phCtx);

#ifdef __cplusplus
}
#endif
