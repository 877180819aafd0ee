// SPDX-License-Identifier: Apache-2.0
// Streams: queues of work that runs in the order in which it was submitted.
//
// Reference: CUDA Runtime API, "Stream Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

namespace {
// Null is refused before a fault of the context is reported: measured on an H200, as for the other
// streams below.
Status create(cudaStream_t* stream, unsigned flags) {
  if (stream == nullptr) return cudaErrorInvalidValue;
  return DRIVER(cuStreamCreate)(stream, flags);
}
}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return call([&] { return create(pStream, CU_STREAM_DEFAULT); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return call([&] { return create(pStream, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  return call([&]() -> Status {
    if (pStream == nullptr) return cudaErrorInvalidValue;
    return DRIVER(cuStreamCreateWithPriority)(pStream, flags, priority);
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&]() -> Status {
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return DRIVER(cuStreamDestroy)(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&] { return DRIVER(cuStreamSynchronize)(driver_stream(stream)); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call([&] { return DRIVER(cuStreamQuery)(driver_stream(stream)); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return call([&] { return DRIVER(cuStreamWaitEvent)(driver_stream(stream), event, flags); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int* device) {
  return call([&] { return DRIVER(cuStreamGetDevice)(driver_stream(hStream), device); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  return call([&]() -> Status {
    if (flags == nullptr) return cudaErrorInvalidValue;
    return DRIVER(cuStreamGetFlags)(driver_stream(hStream), flags);
  });
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  return call([&]() -> Status {
    if (streamId == nullptr) return cudaErrorInvalidValue;
    return DRIVER(cuStreamGetId)(driver_stream(hStream), streamId);
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  return call([&]() -> Status {
    if (priority == nullptr) return cudaErrorInvalidValue;
    return DRIVER(cuStreamGetPriority)(driver_stream(hStream), priority);
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  return call(
      [&] { return DRIVER(cuStreamCopyAttributes)(driver_stream(dst), driver_stream(src)); });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue* value_out) {
  return call([&] {
    return DRIVER(cuStreamGetAttribute)(driver_stream(hStream), static_cast<CUstreamAttrID>(attr),
                                        same_layout<CUstreamAttrValue>(value_out));
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue* value) {
  return call([&] {
    return DRIVER(cuStreamSetAttribute)(driver_stream(hStream), static_cast<CUstreamAttrID>(attr),
                                        same_layout<CUstreamAttrValue>(value));
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length,
                                     unsigned int flags) {
  return call([&] {
    return DRIVER(cuStreamAttachMemAsync)(driver_stream(stream), device_pointer(devPtr), length,
                                          flags);
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call([&] { return DRIVER(cuCtxResetPersistingL2Cache)(); });
}
}
