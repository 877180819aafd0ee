// SPDX-License-Identifier: Apache-2.0
// Device memory: allocation, and the addresses of variables in it.
//
// Reference: CUDA Runtime API, "Memory Management".
#pragma once

#include "error_types.h"
#include "memory_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Frees memory of cudaMalloc and its like, after all work of the device; null is ignored.
// cudaErrorInvalidValue for another address.
cudaError_t CUDARTAPI cudaFree(void* devPtr);

// Writes the device address of a variable on the thread's device. cudaErrorInvalidSymbol if it is
// none.
cudaError_t CUDARTAPI cudaGetSymbolAddress(void** devPtr, const void* symbol);

// Writes a variable's size in bytes.
cudaError_t CUDARTAPI cudaGetSymbolSize(size_t* size, const void* symbol);

// Allocates size bytes of device memory, aligned to at least 256 bytes. cudaErrorMemoryAllocation
// if there is not so much; 0 bytes give a null pointer.
cudaError_t CUDARTAPI cudaMalloc(void** devPtr, size_t size);

// Allocates device memory for extent, its width in bytes, and writes address and pitch.
cudaError_t CUDARTAPI cudaMalloc3D(struct cudaPitchedPtr* pitchedDevPtr, struct cudaExtent extent);

// Allocates memory that host and devices reach by one address. flags say who may touch it at first:
// cudaMemAttachGlobal or cudaMemAttachHost.
cudaError_t CUDARTAPI cudaMallocManaged(void** devPtr, size_t size,
                                        unsigned int flags CUVETTE_DEFAULT(cudaMemAttachGlobal));

// Allocates height rows of width bytes and writes their distance, which suits the device.
cudaError_t CUDARTAPI cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height);

// Writes the free and the whole memory of the thread's device, in bytes.
cudaError_t CUDARTAPI cudaMemGetInfo(size_t* free, size_t* total);

// Writes what an address is: its kind of memory, device, and addresses on both sides. An address
// that CUDA does not know is cudaMemoryTypeUnregistered, and no error.
cudaError_t CUDARTAPI cudaPointerGetAttributes(struct cudaPointerAttributes* attributes,
                                               const void* ptr);

#ifdef __cplusplus
}
#endif
