// SPDX-License-Identifier: Apache-2.0
// The library's beginning and end, and the versions of what is below it.
//
// Reference: NVML API Reference Guide, "Initialization and Cleanup", "System Queries".
#pragma once

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVML_INIT_FLAG_NO_GPUS 1
#define NVML_INIT_FLAG_NO_ATTACH 2

#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE 80
#define NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE 80

#define NVML_CUDA_DRIVER_VERSION_MAJOR(v) ((v) / 1000)
#define NVML_CUDA_DRIVER_VERSION_MINOR(v) (((v) % 1000) / 10)

// Begins the use of the library. Calls are counted: as many of nvmlShutdown end it. A child of a
// fork begins anew.
nvmlReturn_t nvmlInit_v2(void);
// The same; the flags change nothing here.
nvmlReturn_t nvmlInitWithFlags(unsigned int flags);
// Ends the use of the library with the last of its users.
nvmlReturn_t nvmlShutdown(void);

// Writes the version of the display driver.
nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length);
// Writes the version of this library. It needs no nvmlInit.
nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned int length);
// Writes the newest version of CUDA that the driver knows: 13000 for 13.0.
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* cudaDriverVersion);
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* cudaDriverVersion);

// Writes how many S-class units there are: none.
nvmlReturn_t nvmlUnitGetCount(unsigned int* unitCount);
// Writes the number of devices that the driver must not use: none.
nvmlReturn_t nvmlGetExcludedDeviceCount(unsigned int* deviceCount);

#ifdef NVML_NO_UNVERSIONED_FUNC_DEFS
nvmlReturn_t nvmlInit(void);
#endif

#ifdef __cplusplus
}
#endif
