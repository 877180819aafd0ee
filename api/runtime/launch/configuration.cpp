// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/launch/configuration.hpp"

#include "api/runtime/convert.hpp"
#include "api/runtime/driver.hpp"
#include "api/runtime/thread.hpp"

namespace cuvette::runtime {
CUlaunchConfig driver_launch(const cudaLaunchConfig_t& config) {
  CUlaunchConfig launch{};
  launch.gridDimX = config.gridDim.x;
  launch.gridDimY = config.gridDim.y;
  launch.gridDimZ = config.gridDim.z;
  launch.blockDimX = config.blockDim.x;
  launch.blockDimY = config.blockDim.y;
  launch.blockDimZ = config.blockDim.z;
  launch.sharedMemBytes = static_cast<unsigned>(config.dynamicSmemBytes);
  launch.hStream = driver_stream(config.stream);
  launch.attrs = same_layout<CUlaunchAttribute>(config.attrs);
  launch.numAttrs = config.numAttrs;
  return launch;
}

Status launch_kernel(CUkernel kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                     cudaStream_t stream) {
  CHECK(check_configuration(grid, block));
  return DRIVER(cuLaunchKernel)(driver_function(kernel), grid.x, grid.y, grid.z, block.x, block.y,
                                block.z, static_cast<unsigned>(shared_bytes), driver_stream(stream),
                                arguments, nullptr);
}

}  // namespace cuvette::runtime
