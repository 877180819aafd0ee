// SPDX-License-Identifier: Apache-2.0

// The basis of every CUDA declaration: fixed-size integers, calling conventions, the deprecation
// attribute, the version, and the macros that turn a name into an exported symbol.
#pragma once

#include <stdint.h>
#include <stdlib.h>

#if defined(CUDA_FORCE_API_VERSION)
#error "CUDA_FORCE_API_VERSION is not supported: each name stands for its newest version."
#endif

// The version of the CUDA interface that these headers declare: 1000 * major + 10 * minor.
#define CUDA_VERSION 13000

#ifdef _MSC_VER
typedef unsigned __int32 cuuint32_t;
typedef unsigned __int64 cuuint64_t;
#else
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
#endif

// Calling convention of the driver's functions (CUDAAPI) and of callbacks (CUDA_CB).
#ifdef _WIN32
#define CUDAAPI __stdcall
#define CUDA_CB __stdcall
#else
#define CUDAAPI
#define CUDA_CB
#endif

// A program may define CUDA_ENABLE_DEPRECATED to silence deprecation warnings.
#if defined(__CUDA_API_VERSION_INTERNAL) || defined(CUDA_ENABLE_DEPRECATED)
#define CUVETTE_DEPRECATED
#elif defined(_MSC_VER)
#define CUVETTE_DEPRECATED __declspec(deprecated)
#elif defined(__GNUC__)
#define CUVETTE_DEPRECATED __attribute__((deprecated))
#else
#define CUVETTE_DEPRECATED
#endif

// Anonymous members are C11; __extension__ stops warnings about them in C99.
#if defined(__GNUC__) && !defined(__cplusplus)
#define CUVETTE_EXTENSION __extension__
#else
#define CUVETTE_EXTENSION
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define CUVETTE_ALIGNED_128 alignas(128)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CUVETTE_ALIGNED_128 _Alignas(128)
#else
#define CUVETTE_ALIGNED_128
#endif

// The null stream is the legacy default stream, or, when CUDA_API_PER_THREAD_DEFAULT_STREAM is
// defined before cuda.h, the calling thread's own. Each function for which this makes a difference
// is exported twice: its twin's name ends in _ptsz if it takes a stream, and in _ptds if it does
// not.
//
// The library's own build defines __CUDA_API_VERSION_INTERNAL, so that every exported symbol is
// declared under its own name.
#if defined(__CUDA_API_VERSION_INTERNAL) || defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define __CUDA_API_PER_THREAD_DEFAULT_STREAM
#define __CUDA_API_PTDS(api) api##_ptds
#define __CUDA_API_PTSZ(api) api##_ptsz
#else
#define __CUDA_API_PTDS(api) api
#define __CUDA_API_PTSZ(api) api
#endif
