// SPDX-License-Identifier: Apache-2.0
// Launches by <<<>>> as nvcc compiles them from 12.9 on: host code looks a kernel up once, and
// launches what it found.
//
// Reference: the host code that nvcc 12.9 and 13.0 write.
#include "api/runtime/cuda_runtime.hpp"

#include "api/runtime/call.hpp"
#include "api/runtime/launch/configuration.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

extern "C" {

// Host code asks this once for each kernel, in the initialisation of a static variable.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* hostFun) {
  *kernel = nullptr;
  return call_with_driver([&] { return find_kernel(hostFun, kernel); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                               size_t sharedMem, cudaStream_t stream) {
  return call([&]() -> Status {
    // __cudaGetKernel() has failed; its error is already the thread's last one.
    if (kernel == nullptr) {
      const cudaError_t before = Thread::current().last_error;
      return before == cudaSuccess ? cudaErrorInvalidDeviceFunction : before;
    }
    return launch_kernel(kernel, gridDim, blockDim, args, sharedMem, stream);
  });
}
}
