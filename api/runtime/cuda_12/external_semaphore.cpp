// SPDX-License-Identifier: Apache-2.0
// CUDA 12's older forms: parameters of semaphores as they were before CUDA 11.2,
// without room for later members.
//
// Reference: CUDA Runtime API 12.9, "External Resource Interoperability".
#include <vector>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {

template <typename Latest, typename Older>
std::vector<Latest> latest(const Older* parameters, unsigned count) {
  std::vector<Latest> all(count);
  for (unsigned i = 0; i < count; ++i) {
    all[i].params.fence.value = parameters[i].params.fence.value;
    all[i].params.nvSciSync.reserved = parameters[i].params.nvSciSync.reserved;
    all[i].params.keyedMutex.key = parameters[i].params.keyedMutex.key;
    if constexpr (requires { parameters->params.keyedMutex.timeoutMs; })
      all[i].params.keyedMutex.timeoutMs = parameters[i].params.keyedMutex.timeoutMs;
    all[i].flags = parameters[i].flags;
  }
  return all;
}

}  // namespace

extern "C" {

cudaError_t cudaSignalExternalSemaphoresAsync(
    const cudaExternalSemaphore_t* extSemArray,
    const cudaExternalSemaphoreSignalParams_v1* paramsArray, unsigned int numExtSems,
    cudaStream_t stream) {
  return call([&]() -> Status {
    if (paramsArray == nullptr) return cudaErrorInvalidValue;
    const auto all = latest<cudaExternalSemaphoreSignalParams>(paramsArray, numExtSems);
    return cudaSignalExternalSemaphoresAsync_v2(extSemArray, all.data(), numExtSems, stream);
  });
}

cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* extSemArray,
                                            const cudaExternalSemaphoreWaitParams_v1* paramsArray,
                                            unsigned int numExtSems, cudaStream_t stream) {
  return call([&]() -> Status {
    if (paramsArray == nullptr) return cudaErrorInvalidValue;
    const auto all = latest<cudaExternalSemaphoreWaitParams>(paramsArray, numExtSems);
    return cudaWaitExternalSemaphoresAsync_v2(extSemArray, all.data(), numExtSems, stream);
  });
}
}
