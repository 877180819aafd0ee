// SPDX-License-Identifier: Apache-2.0
// The driver's log of errors.
//
// Reference: CUDA Runtime API, "Error Log Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void* userData,
                                     cudaLogsCallbackHandle* callback_out) {
  return call_with_driver([&] {
    return DRIVER(cuLogsRegisterCallback)(reinterpret_cast<CUlogsCallback>(callbackFunc), userData,
                                          same_layout<CUlogsCallbackHandle>(callback_out));
  });
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback) {
  return call_with_driver([&] {
    return DRIVER(cuLogsUnregisterCallback)(reinterpret_cast<CUlogsCallbackHandle>(callback));
  });
}

cudaError_t cudaLogsCurrent(cudaLogIterator* iterator_out, unsigned int flags) {
  return call_with_driver([&] { return DRIVER(cuLogsCurrent)(iterator_out, flags); });
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator* iterator, const char* pathToFile,
                               unsigned int flags) {
  return call_with_driver([&] { return DRIVER(cuLogsDumpToFile)(iterator, pathToFile, flags); });
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator* iterator, char* buffer, size_t* size,
                                 unsigned int flags) {
  return call_with_driver(
      [&] { return DRIVER(cuLogsDumpToMemory)(iterator, buffer, size, flags); });
}
}
