// SPDX-License-Identifier: Apache-2.0
// Errors: the last one of the thread, and what a code is called.
//
// Each function but these and cudaGetErrorName keeps the code that it returns, unless it is
// cudaSuccess or cudaErrorNotReady, as its thread's last error.
//
// Reference: CUDA Runtime API, "Error Handling".
#pragma once

#include "error_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Returns a code's name, such as "cudaErrorInvalidValue"; never null.
const char* CUDARTAPI cudaGetErrorName(cudaError_t error);

// Returns a short description of a code; never null.
const char* CUDARTAPI cudaGetErrorString(cudaError_t error);

// Returns the last error of this thread and forgets it. Errors that end a context stay.
cudaError_t CUDARTAPI cudaGetLastError(void);

// Returns the last error of this thread and keeps it.
cudaError_t CUDARTAPI cudaPeekAtLastError(void);

#ifdef __cplusplus
}
#endif
