// SPDX-License-Identifier: Apache-2.0
#ifndef cuda_profiler_H
#define cuda_profiler_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUoutput_mode_enum {
  CU_OUT_KEY_VALUE_PAIR = 0,
  CU_OUT_CSV = 1,
} CUoutput_mode;

CUresult CUDAAPI cuProfilerStart(void);

CUresult CUDAAPI cuProfilerStop(void);

CUVETTE_DEPRECATED CUresult CUDAAPI cuProfilerInitialize(const char* configFile,
                                                         const char* outputFile,
                                                         CUoutput_mode outputMode);

#ifdef __cplusplus
}
#endif

#endif
