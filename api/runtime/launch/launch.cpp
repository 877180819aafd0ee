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

// What stands between <<< and >>>. An argument of the kernel may itself launch one, so they nest.
struct Configured {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
  const void* site;  // where the program says <<<>>>
};
thread_local std::vector<Configured> configured;

// The driver takes a kernel where it takes a function.
CUfunction function(CUkernel kernel) { return reinterpret_cast<CUfunction>(kernel); }

Status launch(CUkernel kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
              cudaStream_t stream) {
  return DRIVER(cuLaunchKernel)(function(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                static_cast<unsigned>(shared_bytes), driver_stream(stream),
                                arguments, nullptr);
}

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

// Host code asks this once for each kernel, in the initialisation of a static variable.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* hostFun) {
  *kernel = nullptr;
  return call_with_driver([&] { return find_kernel(hostFun, kernel); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                               size_t sharedMem, cudaStream_t stream) {
  return call([&]() -> Status {
    // __cudaGetKernel() has failed, and its error is the thread's last one.
    if (kernel == nullptr) {
      const cudaError_t before = Thread::current().last_error;
      return before == cudaSuccess ? cudaErrorInvalidDeviceFunction : before;
    }
    return launch(kernel, gridDim, blockDim, args, sharedMem, stream);
  });
}

cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                             size_t sharedMem, cudaStream_t stream) {
  return call([&]() -> Status {
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    return launch(kernel, gridDim, blockDim, args, sharedMem, stream);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                        size_t sharedMem, cudaStream_t stream) {
  return call([&]() -> Status {
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    return DRIVER(cuLaunchCooperativeKernel)(
        function(kernel), gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z,
        static_cast<unsigned>(sharedMem), driver_stream(stream), args);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  return call([&]() -> Status {
    if (config == nullptr) return cudaErrorInvalidValue;
    CUkernel kernel = nullptr;
    CHECK(find_kernel(func, &kernel));
    const CUlaunchConfig launch = driver_launch(*config);
    return DRIVER(cuLaunchKernelEx)(&launch, function(kernel), args, nullptr);
  });
}
}
