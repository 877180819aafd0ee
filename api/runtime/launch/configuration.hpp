// SPDX-License-Identifier: Apache-2.0
// A launch with attributes, in the driver's words.
#pragma once

#include <cuda.h>

#include "api/runtime/abi.hpp"
#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// Returns the driver's description of the same launch. The attributes of both APIs have the same
// numbers and the same form.
CUlaunchConfig driver_launch(const cudaLaunchConfig_t& config);

// The driver takes a kernel where it takes a function.
inline CUfunction driver_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

// Checks grids and blocks where the library does so itself: by limits that all GPUs of today share.
// Measured on an H200: CUDA 12 has an error of its own for them, which no stream, no capture and no
// fault of the context comes before; CUDA 13 tells what the driver answers.
inline Status check_configuration(dim3 grid, dim3 block) {
  if constexpr (checks_configurations) {
    constexpr unsigned most_blocks = 65535, most_threads = 1024, most_layers = 64;
    const unsigned long long threads = 1ull * block.x * block.y * block.z;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > most_blocks ||
        grid.z > most_blocks || threads == 0 || block.x > most_threads || block.y > most_threads ||
        block.z > most_layers || threads > most_threads)
      return cudaErrorInvalidConfiguration;
  }
  return {};
}

Status launch_kernel(CUkernel kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                     cudaStream_t stream);

}  // namespace cuvette::runtime
