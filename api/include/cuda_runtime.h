// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime API with everything that the host code of CUDA C++ sees: the functions of
// cuda_runtime_api.h, vectors, and in C++ the overloads and templates of
// cuvette/runtime/*_overload.h.
//
// Compilers of CUDA C++ define __CUDACC__ or __CUDA__; they see the functions that need a kernel's
// or a variable's name, and the functions that their host code calls
// (cuvette/runtime/launch_abi.h).
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

// Not every program uses each of these functions.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "crt/host_config.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "library_types.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include "cuvette/runtime/code_overload.h"
#include "cuvette/runtime/graph_overload.h"
#include "cuvette/runtime/launch_overload.h"
#include "cuvette/runtime/memory_overload.h"
#include "cuvette/runtime/occupancy_overload.h"
#endif

#if defined(__CUDACC__) || defined(__CUDA__)
#include "cuvette/runtime/launch_abi.h"
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
