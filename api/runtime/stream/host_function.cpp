// SPDX-License-Identifier: Apache-2.0
// Functions of the host that streams call.
//
// Reference: CUDA Runtime API, "Execution Control".
#include <memory>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {
// The arguments of a runtime callback: the stream as the program named it, and an error of the
// runtime.
struct Callback {
  cudaStreamCallback_t function;
  cudaStream_t stream;
  void* data;
};

void CUDA_CB call_back(CUstream, CUresult result, void* data) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(data));
  callback->function(callback->stream, Status(result).error(), callback->data);
}
}  // namespace

extern "C" {

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return call([&]() -> Status {
    if (fn == nullptr) return cudaErrorInvalidValue;
    return DRIVER(cuLaunchHostFunc)(driver_stream(stream), fn, userData);
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* userData, unsigned int flags) {
  return call_if(callback != nullptr, [&]() -> Status {
    auto wanted = std::make_unique<Callback>(Callback{callback, stream, userData});
    CHECK(DRIVER(cuStreamAddCallback)(driver_stream(stream), &call_back, wanted.get(), flags));
    (void)wanted.release();  // call_back() deletes it
    return {};
  });
}
}
