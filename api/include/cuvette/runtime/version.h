// SPDX-License-Identifier: Apache-2.0
// Versions of the driver and of the runtime.
//
// Reference: CUDA Runtime API, "Version Management".
#pragma once

#include "error_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes the newest version of CUDA that the driver supports, 1000 * major + 10 * minor; 0 without
// a driver.
cudaError_t CUDARTAPI cudaDriverGetVersion(int* driverVersion);

// Writes the version of the runtime, 1000 * major + 10 * minor.
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* runtimeVersion);

#ifdef __cplusplus
}
#endif
