// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device.h"
#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cl_context_flags_enum {
  NVCL_CTX_SCHED_AUTO = 0x0,
  NVCL_CTX_SCHED_SPIN = 0x1,
  NVCL_CTX_SCHED_YIELD = 0x2,
  NVCL_CTX_SCHED_BLOCKING_SYNC = 0x4,
} cl_context_flags;

typedef enum CUcigDataType_enum {
  CIG_DATA_TYPE_D3D12_COMMAND_QUEUE = 1,
  CIG_DATA_TYPE_NV_BLOB = 2,
} CUcigDataType;

typedef enum CUctx_flags_enum {
  CU_CTX_SCHED_AUTO = 0x0,
  CU_CTX_SCHED_SPIN = 0x1,
  CU_CTX_SCHED_YIELD = 0x2,
  CU_CTX_SCHED_BLOCKING_SYNC = 0x4,
  CU_CTX_BLOCKING_SYNC = 0x4,
  CU_CTX_SCHED_MASK = 0x7,
  CU_CTX_MAP_HOST = 0x8,
  CU_CTX_LMEM_RESIZE_TO_MAX = 0x10,
  CU_CTX_COREDUMP_ENABLE = 0x20,
  CU_CTX_USER_COREDUMP_ENABLE = 0x40,
  CU_CTX_SYNC_MEMOPS = 0x80,
  CU_CTX_FLAGS_MASK = 0xff,
} CUctx_flags;

typedef struct CUctxCigParam_st {
  CUcigDataType sharedDataType;
  void* sharedData;
} CUctxCigParam;

typedef struct CUctxCreateParams_st {
  CUexecAffinityParam* execAffinityParams;
  int numExecAffinityParams;
  CUctxCigParam* cigParams;
} CUctxCreateParams;

typedef enum CUfunc_cache_enum {
  CU_FUNC_CACHE_PREFER_NONE = 0,
  CU_FUNC_CACHE_PREFER_SHARED = 1,
  CU_FUNC_CACHE_PREFER_L1 = 2,
  CU_FUNC_CACHE_PREFER_EQUAL = 3,
} CUfunc_cache;

typedef enum CUlimit_enum {
  CU_LIMIT_STACK_SIZE = 0,
  CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
  CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
  CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
  CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
  CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
  CU_LIMIT_SHMEM_SIZE = 7,
  CU_LIMIT_CIG_ENABLED = 8,
  CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED = 9,
  CU_LIMIT_MAX = 10,
} CUlimit;

typedef enum CUsharedconfig_enum {
  CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0,
  CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1,
  CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2,
} CUsharedconfig;

// The exported symbol that each of these names stands for.
#define cuCtxCreate cuCtxCreate_v4
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2

CUresult CUDAAPI cuCtxCreate(CUcontext* pctx, CUctxCreateParams* ctxCreateParams,
                             unsigned int flags, CUdevice dev);

CUresult CUDAAPI cuCtxDestroy(CUcontext ctx);

CUresult CUDAAPI cuCtxGetApiVersion(CUcontext ctx, unsigned int* version);

CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache* pconfig);

CUresult CUDAAPI cuCtxGetCurrent(CUcontext* pctx);

CUresult CUDAAPI cuCtxGetDevice(CUdevice* device);

CUresult CUDAAPI cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx);

CUresult CUDAAPI cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type);

CUresult CUDAAPI cuCtxGetFlags(unsigned int* flags);

CUresult CUDAAPI cuCtxGetId(CUcontext ctx, unsigned long long* ctxId);

CUresult CUDAAPI cuCtxGetLimit(size_t* pvalue, CUlimit limit);

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority);

CUresult CUDAAPI cuCtxPopCurrent(CUcontext* pctx);

CUresult CUDAAPI cuCtxPushCurrent(CUcontext ctx);

CUresult CUDAAPI cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent);

CUresult CUDAAPI cuCtxResetPersistingL2Cache(void);

CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache config);

CUresult CUDAAPI cuCtxSetCurrent(CUcontext ctx);

CUresult CUDAAPI cuCtxSetFlags(unsigned int flags);

CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value);

CUresult CUDAAPI cuCtxSynchronize(void);

CUresult CUDAAPI cuCtxSynchronize_v2(CUcontext ctx);

CUresult CUDAAPI cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent);

CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active);

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice dev);

CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice dev);

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev);

CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);

CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxAttach(CUcontext* pctx, unsigned int flags);

CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxDetach(CUcontext ctx);

CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig* pConfig);

CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig config);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags

// Every other version that the library exports.
CUresult CUDAAPI cuCtxCreate(CUcontext* pctx, unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuCtxCreate_v2(CUcontext* pctx, unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuCtxCreate_v3(CUcontext* pctx, CUexecAffinityParam* paramsArray, int numParams,
                                unsigned int flags, CUdevice dev);
CUresult CUDAAPI cuCtxDestroy(CUcontext ctx);
CUresult CUDAAPI cuCtxPopCurrent(CUcontext* pctx);
CUresult CUDAAPI cuCtxPushCurrent(CUcontext ctx);
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice dev);
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice dev);
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);
#endif

#ifdef __cplusplus
}
#endif
