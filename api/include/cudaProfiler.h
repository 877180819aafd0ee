// SPDX-License-Identifier: Apache-2.0
// Turning a profiler's collection on and off from within the program.
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

// Starts collection in the current context; nothing without a profiler.
CUresult CUDAAPI cuProfilerStart(void);

// Stops collection in the current context.
CUresult CUDAAPI cuProfilerStop(void);

// Does nothing useful any more.
CUVETTE_DEPRECATED CUresult CUDAAPI cuProfilerInitialize(const char* configFile,
                                                         const char* outputFile,
                                                         CUoutput_mode outputMode);

#ifdef __cplusplus
}
#endif

#endif
