// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/launch/configuration.hpp"

#include "api/runtime/convert.hpp"
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

}  // namespace cuvette::runtime
