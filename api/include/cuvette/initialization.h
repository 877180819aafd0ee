// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "error.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

CUresult CUDAAPI cuDriverGetVersion(int* driverVersion);

CUresult CUDAAPI cuInit(unsigned int Flags);

#ifdef __cplusplus
}
#endif
