// SPDX-License-Identifier: Apache-2.0
// Memory and events that processes share by handles.
//
// Reference: CUDA Runtime API, "Device Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* devPtr) {
  return call([&] {
    return DRIVER(cuIpcGetMemHandle)(same_layout<CUipcMemHandle>(handle), device_pointer(devPtr));
  });
}

cudaError_t cudaIpcOpenMemHandle(void** devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
  return call([&] {
    return DRIVER(cuIpcOpenMemHandle)(device_pointer(devPtr), *same_layout<CUipcMemHandle>(&handle),
                                      flags);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* devPtr) {
  return call([&] { return DRIVER(cuIpcCloseMemHandle)(device_pointer(devPtr)); });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return call(
      [&] { return DRIVER(cuIpcGetEventHandle)(same_layout<CUipcEventHandle>(handle), event); });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return call(
      [&] { return DRIVER(cuIpcOpenEventHandle)(event, *same_layout<CUipcEventHandle>(&handle)); });
}
}
