// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory.
//
// Reference: CUDA Runtime API, "Memory Management".
#pragma once

#include "error_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Frees memory of cudaMallocHost or cudaHostAlloc; null is ignored.
cudaError_t CUDARTAPI cudaFreeHost(void* ptr);

// Allocates page-locked host memory; flags are of the cudaHostAlloc... family.
cudaError_t CUDARTAPI cudaHostAlloc(void** pHost, size_t size, unsigned int flags);

// Writes the device's address of page-locked host memory. flags must be 0.
cudaError_t CUDARTAPI cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags);

// Writes the flags with which the memory was allocated.
cudaError_t CUDARTAPI cudaHostGetFlags(unsigned int* pFlags, void* pHost);

// Locks the pages of the program's own memory, so that devices reach it.
// cudaErrorHostMemoryAlreadyRegistered for memory that is.
cudaError_t CUDARTAPI cudaHostRegister(void* ptr, size_t size, unsigned int flags);

// Ends what cudaHostRegister began. cudaErrorHostMemoryNotRegistered for other memory.
cudaError_t CUDARTAPI cudaHostUnregister(void* ptr);

// Allocates size bytes of page-locked host memory.
cudaError_t CUDARTAPI cudaMallocHost(void** ptr, size_t size);

#ifdef __cplusplus
}
#endif
