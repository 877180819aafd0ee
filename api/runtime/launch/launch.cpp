// SPDX-License-Identifier: Apache-2.0
// Launches: <<<>>>, cudaLaunchKernel() and its kin.
//
// Reference: CUDA Runtime API, "Execution Control".
#include "api/runtime/cuda_runtime.hpp"

#include <vector>

#include "api/runtime/call.hpp"
#include "api/runtime/launch/configuration.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

namespace {

// The configuration between <<< and >>>. An argument of the kernel may itself launch one, so they
// nest.
struct Configured {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  const void* site;  // where the program says <<<>>>
};
thread_local std::vector<Configured> configured;

}  // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     CUstream_st* stream) {
  (void)need_driver();
  configured.push_back({gridDim, blockDim, sharedMem, stream, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                       void* stream) {
  if (configured.empty()) return keep(cudaErrorMissingConfiguration);
  const Configured& last = configured.back();
  *gridDim = last.grid;
  *blockDim = last.block;
  *sharedMem = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  Thread::current().launch_site = last.site;
  configured.pop_back();
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             size_t sharedMem, cudaStream_t stream) {
  return call([&]() -> Status {
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    return launch_kernel(kernel, gridDim, blockDim, args, sharedMem, stream);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem, cudaStream_t stream) {
  return call([&]() -> Status {
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    CHECK(check_configuration(gridDim, blockDim));
    return DRIVER(cuLaunchCooperativeKernel)(
        driver_function(kernel), gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y,
        blockDim.z, static_cast<unsigned>(sharedMem), driver_stream(stream), args);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  return call([&]() -> Status {
    if (config == nullptr) return cudaErrorInvalidValue;
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    CHECK(check_configuration(config->gridDim, config->blockDim));
    const CUlaunchConfig launch = driver_launch(*config);
    return DRIVER(cuLaunchKernelEx)(&launch, driver_function(kernel), args, nullptr);
  });
}
}
