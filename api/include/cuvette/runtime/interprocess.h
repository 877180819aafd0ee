// SPDX-License-Identifier: Apache-2.0
// Memory and events of another process.
//
// Reference: CUDA Runtime API, "Device Management".
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "interprocess_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Ends what cudaIpcOpenMemHandle began, at the last of as many calls.
cudaError_t CUDARTAPI cudaIpcCloseMemHandle(void* devPtr);

// Writes a handle of an event that was created with cudaEventInterprocess.
cudaError_t CUDARTAPI cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);

// Writes a handle of memory of cudaMalloc.
cudaError_t CUDARTAPI cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* devPtr);

// Opens an event of another process.
cudaError_t CUDARTAPI cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);

// Opens memory of another process and writes its address here. A process cannot open its own:
// cudaErrorDeviceUninitialized.
cudaError_t CUDARTAPI cudaIpcOpenMemHandle(void** devPtr, cudaIpcMemHandle_t handle,
                                           unsigned int flags);

#ifdef __cplusplus
}
#endif
