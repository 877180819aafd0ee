// SPDX-License-Identifier: Apache-2.0
// The management library: what devices there are, and what each says of itself.
//
// It declares the part that libnvidia-ml.so.1 of Cuvette answers, and what programs ask for most of
// the rest. `cuvette support nvml` lists all names that the library exports.
//
// Reference: NVML API Reference Guide.
#ifndef __nvml_nvml_h__
#define __nvml_nvml_h__

#define NVML_API_VERSION 13
#define NVML_API_VERSION_STR "13"

// The exported symbol that each of these names expands to.
#ifndef NVML_NO_UNVERSIONED_FUNC_DEFS
#define nvmlInit nvmlInit_v2
#define nvmlDeviceGetPciInfo nvmlDeviceGetPciInfo_v3
#define nvmlDeviceGetCount nvmlDeviceGetCount_v2
#define nvmlDeviceGetHandleByIndex nvmlDeviceGetHandleByIndex_v2
#define nvmlDeviceGetHandleByPciBusId nvmlDeviceGetHandleByPciBusId_v2
#define nvmlDeviceGetNvLinkRemotePciInfo nvmlDeviceGetNvLinkRemotePciInfo_v2
#define nvmlDeviceGetAttributes nvmlDeviceGetAttributes_v2
#define nvmlDeviceGetComputeRunningProcesses nvmlDeviceGetComputeRunningProcesses_v3
#define nvmlDeviceGetGraphicsRunningProcesses nvmlDeviceGetGraphicsRunningProcesses_v3
#define nvmlDeviceGetMPSComputeRunningProcesses nvmlDeviceGetMPSComputeRunningProcesses_v3
#define nvmlDeviceGetDriverModel nvmlDeviceGetDriverModel_v2
#endif

#include "cuvette/management/device.h"
#include "cuvette/management/error.h"
#include "cuvette/management/library.h"
#include "cuvette/management/memory.h"
#include "cuvette/management/peer.h"
#include "cuvette/management/sensor.h"

#endif
