// SPDX-License-Identifier: Apache-2.0
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

CUresult CUDAAPI cuLogsCurrent(CUlogIterator* iterator_out, unsigned int flags);

CUresult CUDAAPI cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile,
                                  unsigned int flags);

CUresult CUDAAPI cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size,
                                    unsigned int flags);

CUresult CUDAAPI cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData,
                                        CUlogsCallbackHandle* callback_out);

CUresult CUDAAPI cuLogsUnregisterCallback(CUlogsCallbackHandle callback);

#ifdef __cplusplus
}
#endif
