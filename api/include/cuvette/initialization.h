// SPDX-License-Identifier: Apache-2.0
// Starting the driver, and its version.
//
// Reference: CUDA Driver API, "Initialization" and "Version Management".
#pragma once

#include "error.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes the newest CUDA version that the driver supports: 1000 * major + 10 * minor. Works before
// cuInit.
CUresult CUDAAPI cuDriverGetVersion(int* driverVersion);

// Starts the driver; every other function but the error and version functions needs it first. Flags
// must be 0 (CUDA_ERROR_INVALID_VALUE). May be called again. CUDA_ERROR_NO_DEVICE if there is none.
CUresult CUDAAPI cuInit(unsigned int Flags);

#ifdef __cplusplus
}
#endif
