// SPDX-License-Identifier: Apache-2.0
// Finding the driver's functions by name, and the driver's handles of what the runtime knows.
//
// Reference: CUDA Runtime API, "Driver Entry Point Access".
#pragma once

#include "entry_point_types.h"
#include "error_types.h"
#include "handle_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaGetDriverEntryPoint __CUDART_API_PTSZ(cudaGetDriverEntryPoint)
#define cudaGetDriverEntryPointByVersion __CUDART_API_PTSZ(cudaGetDriverEntryPointByVersion)
#endif

// Finds a function of the driver, in the version of this runtime. cudaGetDriverEntryPointByVersion
// is its successor.
CUVETTE_CUDART_DEPRECATED cudaError_t CUDARTAPI
cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult* driverStatus CUVETTE_DEFAULT(NULL));

// Finds the function of the driver that symbol stood for in a CUDA version, and writes its address,
// or null and, in driverStatus, the reason. flags are cudaGetDriverEntryPointFlags.
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(
    const char* symbol, void** funcPtr, unsigned int cudaVersion, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult* driverStatus CUVETTE_DEFAULT(NULL));

// Writes a table of undocumented functions, named by its 16 bytes.
cudaError_t CUDARTAPI cudaGetExportTable(const void** ppExportTable,
                                         const cudaUUID_t* pExportTableId);

// Writes the driver's CUfunction of a kernel, for the thread's device.
cudaError_t CUDARTAPI cudaGetFuncBySymbol(cudaFunction_t* functionPtr, const void* symbolPtr);

// Writes the driver's CUkernel of a kernel, for all devices.
cudaError_t CUDARTAPI cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaGetDriverEntryPoint
#undef cudaGetDriverEntryPointByVersion

// The twins with the legacy default stream.
cudaError_t CUDARTAPI
cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult* driverStatus CUVETTE_DEFAULT(NULL));
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(
    const char* symbol, void** funcPtr, unsigned int cudaVersion, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult* driverStatus CUVETTE_DEFAULT(NULL));
#endif

#ifdef __cplusplus
}
#endif
