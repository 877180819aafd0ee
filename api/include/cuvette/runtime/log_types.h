// SPDX-License-Identifier: Apache-2.0
// The log of errors.
//
// Reference: CUDA Runtime API, "Error Log Management Functions".
#pragma once

#include "platform.h"

#if CUVETTE_CUDART_MAJOR >= 13
// The weight of a message.
typedef enum CUDAlogLevel_enum {
  cudaLogLevelError = 0,
  cudaLogLevelWarning = 1,
} cudaLogLevel;
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// The handle from cudaLogsRegisterCallback.
typedef struct CUlogsCallbackEntry_st* cudaLogsCallbackHandle;
#endif

#if CUVETTE_CUDART_MAJOR >= 13
// A place in the log; 0 is its beginning.
typedef unsigned int cudaLogIterator;
#endif
