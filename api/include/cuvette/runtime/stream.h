// SPDX-License-Identifier: Apache-2.0
// Streams: queues of work that runs in the order in which it was submitted.
//
// Work of two streams is unordered, except through events and the legacy default stream: work there
// waits for all earlier work of all blocking streams of its device, and later work of these waits
// for it.
//
// Reference: CUDA Runtime API, "Stream Management".
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "launch_types.h"
#include "memory_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaStreamAddCallback __CUDART_API_PTSZ(cudaStreamAddCallback)
#define cudaStreamAttachMemAsync __CUDART_API_PTSZ(cudaStreamAttachMemAsync)
#define cudaStreamCopyAttributes __CUDART_API_PTSZ(cudaStreamCopyAttributes)
#define cudaStreamGetAttribute __CUDART_API_PTSZ(cudaStreamGetAttribute)
#define cudaStreamGetDevice __CUDART_API_PTSZ(cudaStreamGetDevice)
#define cudaStreamGetFlags __CUDART_API_PTSZ(cudaStreamGetFlags)
#define cudaStreamGetId __CUDART_API_PTSZ(cudaStreamGetId)
#define cudaStreamGetPriority __CUDART_API_PTSZ(cudaStreamGetPriority)
#define cudaStreamQuery __CUDART_API_PTSZ(cudaStreamQuery)
#define cudaStreamSetAttribute __CUDART_API_PTSZ(cudaStreamSetAttribute)
#define cudaStreamSynchronize __CUDART_API_PTSZ(cudaStreamSynchronize)
#define cudaStreamWaitEvent __CUDART_API_PTSZ(cudaStreamWaitEvent)
#endif

// Called on a thread of the driver when the work before it is complete; it must not call CUDA
// functions. status is cudaSuccess or the error of the stream.
typedef void(CUDART_CB* cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status,
                                              void* userData);

// Calls callback when the work before it is complete; later work waits for it. flags must be 0.
// cudaLaunchHostFunc is its successor.
cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                            void* userData, unsigned int flags);

// Says who may touch managed memory at devPtr from here on. length is 0, or the whole allocation's,
// in bytes.
cudaError_t CUDARTAPI
cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length CUVETTE_DEFAULT(0),
                         unsigned int flags CUVETTE_DEFAULT(cudaMemAttachSingle));

// Copies all attributes of one stream to another one.
cudaError_t CUDARTAPI cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);

// Creates a stream on the thread's device; it waits for the legacy default stream and that for it.
cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t* pStream);

// As cudaStreamCreate; cudaStreamNonBlocking makes it ignore the legacy default stream.
cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags);

// As cudaStreamCreateWithFlags, with a priority; it is cut to the range of
// cudaDeviceGetStreamPriorityRange.
cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags,
                                                   int priority);

// Destroys a stream. Work still queued is completed in the background: the call does not wait.
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream);

// Writes an attribute of a stream.
cudaError_t CUDARTAPI cudaStreamGetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                             cudaStreamAttrValue* value_out);

// Writes the stream's device.
cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t hStream, int* device);

// Writes the flags with which the stream was created.
cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags);

// Writes a number that no other stream of this process ever has.
cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId);

// Writes the stream's priority.
cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t hStream, int* priority);

// cudaSuccess if all work of the stream is complete, cudaErrorNotReady if not; the latter is not
// kept as a last error.
cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream);

// Sets an attribute of a stream, for work submitted later.
cudaError_t CUDARTAPI cudaStreamSetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                             const cudaStreamAttrValue* value);

// Waits until all work of the stream is complete, and returns its error if some failed.
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream);

// Makes later work of the stream wait for the work that the event captured when it was last
// recorded; nothing if it never was. The event may be of another device.
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                          unsigned int flags CUVETTE_DEFAULT(0));

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaStreamAddCallback
#undef cudaStreamAttachMemAsync
#undef cudaStreamCopyAttributes
#undef cudaStreamGetAttribute
#undef cudaStreamGetDevice
#undef cudaStreamGetFlags
#undef cudaStreamGetId
#undef cudaStreamGetPriority
#undef cudaStreamQuery
#undef cudaStreamSetAttribute
#undef cudaStreamSynchronize
#undef cudaStreamWaitEvent

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                            void* userData, unsigned int flags);
cudaError_t CUDARTAPI
cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length CUVETTE_DEFAULT(0),
                         unsigned int flags CUVETTE_DEFAULT(cudaMemAttachSingle));
cudaError_t CUDARTAPI cudaStreamCopyAttributes(cudaStream_t dstStream, cudaStream_t srcStream);
cudaError_t CUDARTAPI cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                             cudaStreamAttrValue* value);
cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t hStream, int* device);
cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags);
cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId);
cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t hStream, int* priority);
cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream);
cudaError_t CUDARTAPI cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
                                             const cudaStreamAttrValue* param);
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream);
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                          unsigned int flags CUVETTE_DEFAULT(0));
#endif

#ifdef __cplusplus
}
#endif
