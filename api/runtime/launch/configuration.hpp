// SPDX-License-Identifier: Apache-2.0
// A launch with attributes, in the driver's words.
#pragma once

#include <cuda.h>

#include "api/runtime/abi.hpp"
#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// Returns the driver's description of the same launch. Attributes have the same numbers and layout
// in both APIs.
CUlaunchConfig driver_launch(const cudaLaunchConfig_t& config);

// The driver takes a kernel where it takes a function.
inline CUfunction driver_function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

// Checks grids and blocks where the library does so itself, by limits that all current GPUs share.
// Measured on an H200: CUDA 12 has its own error for them, which takes precedence over errors of
// the stream, of a capture and of the context; CUDA 13 returns what the driver answers.
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
