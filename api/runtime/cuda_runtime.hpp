// SPDX-License-Identifier: Apache-2.0
// <cuda_runtime_api.h> and its neighbours as the runtime's own files include them: what they
// declare leaves the library.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cuvette/runtime/launch_abi.h>
#pragma GCC visibility pop
