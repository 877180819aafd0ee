// SPDX-License-Identifier: Apache-2.0
// A launch with attributes, in the driver's words.
#pragma once

#include <cuda.h>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// Returns the driver's description of the same launch. The attributes of both APIs have the same
// numbers and the same form.
CUlaunchConfig driver_launch(const cudaLaunchConfig_t& config);

// The driver takes a kernel where it takes a function.
inline CUfunction driver_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

Status launch_kernel(CUkernel kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                     cudaStream_t stream);

}  // namespace cuvette::runtime
