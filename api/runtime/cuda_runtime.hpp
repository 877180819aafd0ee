// SPDX-License-Identifier: Apache-2.0
// <cuda_runtime_api.h> and its neighbours as the runtime's own files include them: what they
// declare leaves the library.
#pragma once

#include <cuda.h>

// Declares every function under its own name: none is a macro for its newest version.
#define __CUDA_API_VERSION_INTERNAL
#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cuvette/runtime/launch_abi.h>
#pragma GCC visibility pop
#undef __CUDA_API_VERSION_INTERNAL
