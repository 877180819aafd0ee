// SPDX-License-Identifier: Apache-2.0
// Switching a profiler on and off.
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__

#include "driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begins to collect data, if a profiler is attached that is configured to wait for this.
cudaError_t CUDARTAPI cudaProfilerStart(void);

// Ends what cudaProfilerStart began.
cudaError_t CUDARTAPI cudaProfilerStop(void);

#ifdef __cplusplus
}
#endif

#endif
