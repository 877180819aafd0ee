// SPDX-License-Identifier: Apache-2.0
// The version of the runtime, and the exported symbol that a name of it expands to.
#pragma once

#include "platform.h"

// 1000 * major + 10 * minor.
#if CUVETTE_CUDART_MAJOR == 12
#define CUDART_VERSION 12090
#else
#define CUDART_VERSION 13000
#endif

// A program may ask for the names of an older version; these headers know one version of each.
#if defined(__CUDA_API_VER_MAJOR__) && defined(__CUDA_API_VER_MINOR__)
#define __CUDART_API_VERSION ((__CUDA_API_VER_MAJOR__ * 1000) + (__CUDA_API_VER_MINOR__ * 10))
#else
#define __CUDART_API_VERSION CUDART_VERSION
#endif

// Functions that kernels may call, too.
#define CUDART_DEVICE __device__

// Stream 0 is the legacy default stream, or, when CUDA_API_PER_THREAD_DEFAULT_STREAM is defined
// before the first header of the runtime (nvcc and clang define it for -default-stream per-thread),
// the calling thread's own. Each function for which this makes a difference is exported twice:
// its twin's name ends in _ptsz if it takes a stream, and in _ptds if it does not.
//
// Who builds the library itself defines __CUDA_API_VERSION_INTERNAL: every exported symbol is then
// declared under its own name.
#if defined(__CUDA_API_VERSION_INTERNAL) || defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __CUDART_API_PER_THREAD_DEFAULT_STREAM
#define __CUDART_API_PTDS(api) api##_ptds
#define __CUDART_API_PTSZ(api) api##_ptsz
#else
#define __CUDART_API_PTDS(api) api
#define __CUDART_API_PTSZ(api) api
#endif
