// SPDX-License-Identifier: Apache-2.0
// Finding the driver's functions by name and version.
//
// Reference: CUDA Driver API, "Driver Entry Point Access".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which default stream the function found will use; DEFAULT is what the caller was compiled for.
typedef enum CUdriverProcAddress_flags_enum {
  CU_GET_PROC_ADDRESS_DEFAULT = 0x0,
  CU_GET_PROC_ADDRESS_LEGACY_STREAM = 0x1,
  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 0x2,
} CUdriverProcAddress_flags;

typedef enum CUdriverProcAddressQueryResult_enum {
  CU_GET_PROC_ADDRESS_SUCCESS = 0,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
} CUdriverProcAddressQueryResult;

// The exported symbol that each of these names expands to.
#define cuGetProcAddress cuGetProcAddress_v2

// Writes a table of undocumented functions, named by its 16 bytes.
CUresult CUDAAPI cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId);

// Finds the function that symbol (a name without _v2 or _ptsz) stood for in a CUDA version, 1000 *
// major + 10 * minor, and writes its address, or null and, in symbolStatus, the reason. flags are
// CUdriverProcAddress_flags. CUDA_ERROR_NOT_FOUND if there is none.
CUresult CUDAAPI cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult* symbolStatus);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuGetProcAddress

// The other versions that the library exports.
CUresult CUDAAPI cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion,
                                  cuuint64_t flags);

#elif defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)

// cuGetProcAddress of a translation unit with per-thread default streams: unless the caller asks
// for one kind of default stream, it answers with the per-thread one.
static inline CUresult cuGetProcAddress_v2_ptsz(const char* symbol, void** funcPtr,
                                                int driverVersion, cuuint64_t flags,
                                                CUdriverProcAddressQueryResult* symbolStatus) {
  const cuuint64_t stream_kinds =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  return cuGetProcAddress_v2(
      symbol, funcPtr, driverVersion,
      (flags & stream_kinds) ? flags : flags | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
      symbolStatus);
}
#define cuGetProcAddress_v2 cuGetProcAddress_v2_ptsz
#endif

#ifdef __cplusplus
}
#endif
