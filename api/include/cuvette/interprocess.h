// SPDX-License-Identifier: Apache-2.0
// Device memory and events shared with another process of the same machine by 64 opaque bytes. The
// importing process must not be the exporting one.
//
// Reference: CUDA Driver API, "Memory Management".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// Names an event for another process.
typedef struct CUipcEventHandle_st {
  char reserved[CU_IPC_HANDLE_SIZE];
} CUipcEventHandle_v1;
typedef CUipcEventHandle_v1 CUipcEventHandle;

typedef enum CUipcMem_flags_enum {
  CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 0x1,
} CUipcMem_flags;

// Names device memory for another process.
typedef struct CUipcMemHandle_st {
  char reserved[CU_IPC_HANDLE_SIZE];
} CUipcMemHandle_v1;
typedef CUipcMemHandle_v1 CUipcMemHandle;

// The exported symbol that each of these names expands to.
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2

// Unmaps what cuIpcOpenMemHandle mapped.
CUresult CUDAAPI cuIpcCloseMemHandle(CUdeviceptr dptr);

// Writes the bytes by which another process can open an event (created with CU_EVENT_INTERPROCESS).
CUresult CUDAAPI cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event);

// Writes the bytes by which another process can map the allocation at dptr.
CUresult CUDAAPI cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr);

// Opens an event of another process.
CUresult CUDAAPI cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle);

// Maps an allocation of another process. Flags is 0 or CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.
CUresult CUDAAPI cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuIpcOpenMemHandle

// The other versions that the library exports.
CUresult CUDAAPI cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags);
#endif

#ifdef __cplusplus
}
#endif
