// SPDX-License-Identifier: Apache-2.0
// cudaLaunchCooperativeKernelMultiDevice, which CUDA 13 has removed.
//
// Reference: CUDA Runtime API 12.9, "Execution Control".
#include <span>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/launch/configuration.hpp"
#include "api/runtime/program/images.hpp"
#include "api/runtime/stub.hpp"

using namespace cuvette::runtime;

namespace {

bool is_same(const dim3& one, const dim3& other) {
  return one.x == other.x && one.y == other.y && one.z == other.z;
}

Status check(std::span<const cudaLaunchParams> launches) {
  const cudaLaunchParams& first = launches.front();
  for (const cudaLaunchParams& one : launches) {
    // "The streams used for the launch cannot be the NULL stream or cudaStreamLegacy or
    // cudaStreamPerThread."
    if (one.stream == nullptr || one.stream == cudaStreamLegacy ||
        one.stream == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    // "The same kernel must be launched on all devices", with the same grids, blocks and memory.
    if (one.func != first.func || !is_same(one.gridDim, first.gridDim) ||
        !is_same(one.blockDim, first.blockDim) || one.sharedMem != first.sharedMem)
      return cudaErrorInvalidValue;
  }
  return {};
}

}  // namespace

extern "C" {

// With one device neither flag makes a difference: the work of a stream is ordered anyway.
cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* launchParamsList,
                                                   unsigned int numDevices, unsigned int flags) {
  constexpr unsigned known =
      cudaCooperativeLaunchMultiDeviceNoPreSync | cudaCooperativeLaunchMultiDeviceNoPostSync;
  bool several = false;
  const cudaError_t result = call([&]() -> Status {
    if (launchParamsList == nullptr || numDevices == 0 || (flags & ~known) != 0)
      return cudaErrorInvalidValue;
    // "No two kernels can be launched on the same device."
    if (numDevices > static_cast<unsigned>(count_devices())) return cudaErrorInvalidValue;
    CHECK(check({launchParamsList, numDevices}));
    several = numDevices > 1;
    if (several) return {};
    const cudaLaunchParams& launch = *launchParamsList;
    CUkernel kernel = nullptr;
    CHECK(find_kernel(launch.func, &kernel));
    CHECK(check_configuration(launch.gridDim, launch.blockDim));
    return DRIVER(cuLaunchCooperativeKernel)(
        driver_function(kernel), launch.gridDim.x, launch.gridDim.y, launch.gridDim.z,
        launch.blockDim.x, launch.blockDim.y, launch.blockDim.z,
        static_cast<unsigned>(launch.sharedMem), driver_stream(launch.stream), launch.args);
  });
  if (!several) return result;
  return static_cast<cudaError_t>(
      refuse("cudaLaunchCooperativeKernelMultiDevice on several devices",
             "Blocks of different devices cannot wait for each other."));
}
}
