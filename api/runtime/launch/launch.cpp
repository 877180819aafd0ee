// SPDX-License-Identifier: Apache-2.0
// Launches: <<<>>>, cudaLaunchKernel() and its kin.
//
// Reference: CUDA Runtime API, "Execution Control".
#include "api/runtime/cuda_runtime.hpp"

#include "api/runtime/call.hpp"
#include "api/runtime/launch/configuration.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

extern "C" {

// An argument of the kernel may itself launch one, so configurations nest.
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     CUstream_st* stream) {
  (void)need_driver();
  Thread& thread = Thread::current();
  LaunchConfiguration* const outer = thread.configured;
  thread.configured = outer == nullptr ? &thread.outermost : new LaunchConfiguration;
  LaunchConfiguration& own = *thread.configured;
  own.grid = gridDim;
  own.block = blockDim;
  own.shared_bytes = sharedMem;
  own.stream = stream;
  own.site = __builtin_return_address(0);
  own.outer = outer;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                       void* stream) {
  Thread& thread = Thread::current();
  LaunchConfiguration* const last = thread.configured;
  if (last == nullptr) return keep(cudaErrorMissingConfiguration);
  *gridDim = last->grid;
  *blockDim = last->block;
  *sharedMem = last->shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last->stream;
  thread.launch_site = last->site;
  thread.configured = last->outer;
  if (last != &thread.outermost) delete last;
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
