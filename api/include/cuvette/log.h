// SPDX-License-Identifier: Apache-2.0
// The driver's error log: sentences that say more than a result code.
//
// Reference: CUDA Driver API, "Error Log Management Functions".
#pragma once

#include "error.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int CUlogIterator;

typedef enum CUlogLevel_enum {
  CU_LOG_LEVEL_ERROR = 0,
  CU_LOG_LEVEL_WARNING = 1,
} CUlogLevel;

typedef void(CUDA_CB* CUlogsCallback)(void* data, CUlogLevel logLevel, char* message,
                                      size_t length);

typedef struct CUlogsCallbackEntry_st* CUlogsCallbackHandle;

// Writes an iterator to the newest entry.
CUresult CUDAAPI cuLogsCurrent(CUlogIterator* iterator_out, unsigned int flags);

// Appends the entries from iterator on to a file. A null iterator: all.
CUresult CUDAAPI cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile,
                                  unsigned int flags);

// Writes the entries from iterator on as text; size is in bytes, in and out.
CUresult CUDAAPI cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size,
                                    unsigned int flags);

// Registers callbackFunc, which is called with each new entry.
CUresult CUDAAPI cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData,
                                        CUlogsCallbackHandle* callback_out);

// Removes a callback that cuLogsRegisterCallback added.
CUresult CUDAAPI cuLogsUnregisterCallback(CUlogsCallbackHandle callback);

#ifdef __cplusplus
}
#endif
