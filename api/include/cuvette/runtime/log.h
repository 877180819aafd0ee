// SPDX-License-Identifier: Apache-2.0
// The log of errors.
//
// Reference: CUDA Runtime API, "Error Log Management Functions".
#pragma once

#include "error_types.h"
#include "log_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Called with a message of length bytes without its null character; it must not call CUDA
// functions.
typedef void(CUDART_CB* cudaLogsCallback_t)(void* data, cudaLogLevel logLevel, char* message,
                                            size_t length);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Writes where the log ends now. flags must be 0.
cudaError_t CUDARTAPI cudaLogsCurrent(cudaLogIterator* iterator_out, unsigned int flags);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Appends the messages since *iterator to a file and moves the iterator; null means all. flags must
// be 0.
cudaError_t CUDARTAPI cudaLogsDumpToFile(cudaLogIterator* iterator, const char* pathToFile,
                                         unsigned int flags);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// As cudaLogsDumpToFile, into memory; *size is the buffer's before, and the text's after, in bytes.
cudaError_t CUDARTAPI cudaLogsDumpToMemory(cudaLogIterator* iterator, char* buffer, size_t* size,
                                           unsigned int flags);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Calls callbackFunc for each message from here on, on the thread that caused it.
cudaError_t CUDARTAPI cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void* userData,
                                               cudaLogsCallbackHandle* callback_out);
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// Ends what cudaLogsRegisterCallback began.
cudaError_t CUDARTAPI cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback);
#endif

#ifdef __cplusplus
}
#endif
