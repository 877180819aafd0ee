// SPDX-License-Identifier: Apache-2.0
// Events: points in the work of streams that others can wait for and measure.
//
// Reference: CUDA Runtime API, "Event Management".
#include "api/runtime/abi.hpp"
#include "api/runtime/call.hpp"
#include "api/runtime/context.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call([&] { return DRIVER(cuEventCreate)(event, CU_EVENT_DEFAULT); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return call([&]() -> Status {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if ((flags & ~known) != 0) return cudaErrorInvalidValue;
    return DRIVER(cuEventCreate)(event, flags);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&] { return DRIVER(cuEventDestroy)(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&] { return DRIVER(cuEventRecord)(event, driver_stream(stream)); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return call([&] { return DRIVER(cuEventRecordWithFlags)(event, driver_stream(stream), flags); });
}

// Brings up no context (measured).
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call_with_driver([&]() -> Status {
    const Status status = DRIVER(cuEventQuery)(event);
    if (status.error() != cudaErrorDeviceUninitialized) return status;
    // Measured, for a time after a reset: until the primary context is back.
    Current current = Current::nothing;
    CHECK(find_current(&current));
    return current == Current::reset ? cudaErrorContextIsDestroyed : status.error();
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&] { return DRIVER(cuEventSynchronize)(event); });
}

cudaError_t LATEST(cudaEventElapsedTime, _v2)(float* ms, cudaEvent_t start, cudaEvent_t end) {
  // Brings up no context (measured).
  return call_with_driver([&]() -> Status {
    if (ms == nullptr) return cudaErrorInvalidValue;
    return DRIVER(cuEventElapsedTime)(ms, start, end);
  });
}
}
