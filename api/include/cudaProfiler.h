// SPDX-License-Identifier: Apache-2.0
// Functions with which a program starts and stops a profiler's collection.
//
// Reference: CUDA Driver API, "Profiler Control".
#ifndef cuda_profiler_H
#define cuda_profiler_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

// Format of a profiler's output.
typedef enum CUoutput_mode_enum {
  CU_OUT_KEY_VALUE_PAIR = 0,
  CU_OUT_CSV = 1,
} CUoutput_mode;

// Starts collection in the current context; does nothing without a profiler.
CUresult CUDAAPI cuProfilerStart(void);

// Stops collection in the current context.
CUresult CUDAAPI cuProfilerStop(void);

// Obsolete.
CUVETTE_DEPRECATED CUresult CUDAAPI cuProfilerInitialize(const char* configFile,
                                                         const char* outputFile,
                                                         CUoutput_mode outputMode);

#ifdef __cplusplus
}
#endif

#endif
