// SPDX-License-Identifier: Apache-2.0
// Contexts: a process's state on a device. Each thread has a stack of contexts; most functions work
// in the one on top, the current context. A device's primary context is the one that the runtime
// API shares.
//
// Reference: CUDA Driver API, "Context Management" and "Primary Context Management".
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

// How a thread waits for the device (SCHED_...: at most one), and properties of a context.
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

// Resources of a context with a limit, in bytes unless the name is a count or a depth.
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

// The exported symbol that each of these names expands to.
#define cuCtxCreate cuCtxCreate_v4
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2

// Creates a context on dev and pushes it: it becomes current. ctxCreateParams may be null. flags
// are CUctx_flags; CUDA_ERROR_INVALID_VALUE for unknown ones.
CUresult CUDAAPI cuCtxCreate(CUcontext* pctx, CUctxCreateParams* ctxCreateParams,
                             unsigned int flags, CUdevice dev);

// Destroys a context and everything in it, even if it is current to another thread; if it is the
// caller's current one it is popped. CUDA_ERROR_INVALID_CONTEXT for a primary context.
CUresult CUDAAPI cuCtxDestroy(CUcontext ctx);

// Writes the version of the interface with which ctx was created. A null ctx means the current one.
CUresult CUDAAPI cuCtxGetApiVersion(CUcontext ctx, unsigned int* version);

// Writes how the first-level cache and shared memory are balanced.
CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache* pconfig);

// Writes the current context, or null: an empty stack is not an error.
CUresult CUDAAPI cuCtxGetCurrent(CUcontext* pctx);

// Writes the device of the current context.
CUresult CUDAAPI cuCtxGetDevice(CUdevice* device);

// Writes the device of ctx; null means the current context.
CUresult CUDAAPI cuCtxGetDevice_v2(CUdevice* device, CUcontext ctx);

// Writes the current context's share of the device's multiprocessors.
CUresult CUDAAPI cuCtxGetExecAffinity(CUexecAffinityParam* pExecAffinity, CUexecAffinityType type);

// Writes the CUctx_flags of the current context.
CUresult CUDAAPI cuCtxGetFlags(unsigned int* flags);

// Writes a number that no other context of this process ever has. A null ctx means the current one.
CUresult CUDAAPI cuCtxGetId(CUcontext ctx, unsigned long long* ctxId);

// Writes a limit of the current context. CUDA_ERROR_UNSUPPORTED_LIMIT if the device has no such
// limit.
CUresult CUDAAPI cuCtxGetLimit(size_t* pvalue, CUlimit limit);

// Writes the lowest and the highest priority of a stream; lower numbers are higher priorities.
// Either pointer may be null.
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int* leastPriority, int* greatestPriority);

// Pops the current context and writes it; the one below becomes current. CUDA_ERROR_INVALID_CONTEXT
// if the stack is empty.
CUresult CUDAAPI cuCtxPopCurrent(CUcontext* pctx);

// Pushes ctx onto the calling thread's stack: it becomes current.
CUresult CUDAAPI cuCtxPushCurrent(CUcontext ctx);

// Records in hEvent all work submitted to hCtx so far, in all its streams.
CUresult CUDAAPI cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent);

// Makes all persisting lines of the second-level cache normal again.
CUresult CUDAAPI cuCtxResetPersistingL2Cache(void);

// Sets the preferred balance of the first-level cache and shared memory.
CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache config);

// Replaces the top of the calling thread's stack. A null ctx pops it; an empty stack gets ctx
// pushed.
CUresult CUDAAPI cuCtxSetCurrent(CUcontext ctx);

// Sets the CUctx_flags of the current context, as far as they can change.
CUresult CUDAAPI cuCtxSetFlags(unsigned int flags);

// Asks for a limit of the current context; it may be raised to what the device needs.
// CUDA_ERROR_UNSUPPORTED_LIMIT if the device has no such limit.
CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value);

// Waits until all work of the current context is complete, and returns its error if some failed.
CUresult CUDAAPI cuCtxSynchronize(void);

// As cuCtxSynchronize, for ctx; null means the current context.
CUresult CUDAAPI cuCtxSynchronize_v2(CUcontext ctx);

// Makes all later work of hCtx wait for hEvent.
CUresult CUDAAPI cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent);

// Writes the flags of the primary context, and whether it is active (1 or 0).
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int* flags, int* active);

// Releases a reference; the last release destroys the primary context.
// CUDA_ERROR_INVALID_CONTEXT if there is none.
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice dev);

// Destroys everything in the primary context, no matter how many references there are; the context
// itself stays usable.
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice dev);

// Takes a reference to the device's primary context; the first one creates it. It does not become
// current. CUDA_ERROR_INVALID_DEVICE for an unknown device.
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev);

// Sets the CUctx_flags of the primary context, also of one that is active.
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags);

// Superseded: contexts are not counted.
CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxAttach(CUcontext* pctx, unsigned int flags);

// Superseded by cuCtxDestroy.
CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxDetach(CUcontext ctx);

// Superseded: banks of shared memory are 4 bytes wide.
CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig* pConfig);

// Superseded: banks of shared memory are 4 bytes wide.
CUVETTE_DEPRECATED CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig config);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags

// The other versions that the library exports.
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
