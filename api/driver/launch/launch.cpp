// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/launch/launch_arguments.hpp"
#include "api/driver/module/module_handles.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/graph/submission.hpp"
#include "sim/device/kernel/kernel_launch.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::KernelCall;
using device::LaunchShape;

namespace {

Result<> launch(CUfunction f, const LaunchShape& shape, CUstream hStream, void** kernelParams,
                void** extra) {
  const auto stream = TRY(find_usable(hStream));
  auto function = TRY(find_launchable(f, stream->context()));
  const device::ParameterValues values = TRY(parameter_values(kernelParams, extra));
  Result<Ref<KernelCall>> call = KernelCall::make(std::move(function), shape, values);
  if (!call.ok()) {
    device::Capture::spoil(*stream);
    return call.error();
  }
  return device::submit_kernel(*stream, std::move(call.value()), call_site());
}

}  // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void** kernelParams, void** extra) {
  return call<CUresult>([&] {
    const LaunchShape shape{
        {gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes};
    return launch(f, shape, hStream, kernelParams, extra);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void** kernelParams) {
  return call<CUresult>([&] {
    LaunchShape shape{
        {gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes};
    shape.cooperative = true;
    return launch(f, shape, hStream, kernelParams, nullptr);
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                          void** extra) {
  return call<CUresult>([&]() -> Result<> {
    if (!config) TRY(usable_context());
    if (!config) return refuse(Error::invalid_value, "The launch's configuration is null.");
    TRY(check_context_for(config->hStream));
    const LaunchShape shape = TRY(shape_of(*config));
    return launch(f, shape, config->hStream, kernelParams, extra);
  });
}

}  // extern "C"
