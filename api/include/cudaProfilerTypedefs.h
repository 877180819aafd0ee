// SPDX-License-Identifier: Apache-2.0
// Types of pointers to the functions of cudaProfiler.h: PFN_NAME_vVERSION, where VERSION is the
// CUDA version (1000 * major + 10 * minor) that brought the function in this form. With that number
// cuGetProcAddress answers with a function of this type. Pointers to per-thread twins end in _ptds
// or _ptsz.
#ifndef CUDAPROFILERTYPEDEFS_H
#define CUDAPROFILERTYPEDEFS_H

#include "cudaProfiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef CUresult(CUDAAPI *PFN_cuProfilerInitialize_v4000)(const char *configFile,
                                                          const char *outputFile,
                                                          CUoutput_mode outputMode);
typedef CUresult(CUDAAPI *PFN_cuProfilerStart_v4000)(void);
typedef CUresult(CUDAAPI *PFN_cuProfilerStop_v4000)(void);

#ifdef __cplusplus
}
#endif

#endif
