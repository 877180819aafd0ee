// SPDX-License-Identifier: Apache-2.0
// Events: marks in streams, to wait for and to measure time between.
//
// Reference: CUDA Runtime API, "Event Management".
#pragma once

#include "error_types.h"
#include "handle_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaEventRecord __CUDART_API_PTSZ(cudaEventRecord)
#define cudaEventRecordWithFlags __CUDART_API_PTSZ(cudaEventRecordWithFlags)
#endif

// Creates an event that measures time, on the thread's device.
cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t* event);

// Creates an event with cudaEventBlockingSync and its like. cudaEventInterprocess needs
// cudaEventDisableTiming.
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);

// Destroys an event. If work still waits for it, the event's resources go when that is over.
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event);

// Writes the milliseconds from one event to another. cudaErrorInvalidResourceHandle if one was not
// recorded or measures no time, cudaErrorNotReady if one has not happened.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the second distinguishes a failed event from one that has not happened.
cudaError_t CUDARTAPI cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t CUDARTAPI cudaEventElapsedTime_v2(float* ms, cudaEvent_t start, cudaEvent_t end);
#else
cudaError_t CUDARTAPI cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);
#endif

// cudaSuccess if the work that the event captured is complete, or nothing was recorded;
// cudaErrorNotReady if not, which is not kept as a last error.
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event);

// Makes the event stand for all work submitted to the stream so far. Both are of one device.
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream CUVETTE_DEFAULT(0));

// As cudaEventRecord; with cudaEventRecordExternal a capture makes it an event node.
cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event,
                                               cudaStream_t stream CUVETTE_DEFAULT(0),
                                               unsigned int flags CUVETTE_DEFAULT(0));

// Waits until the work that the event captured is complete.
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaEventRecord
#undef cudaEventRecordWithFlags

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event,
                                               cudaStream_t stream CUVETTE_DEFAULT(0),
                                               unsigned int flags CUVETTE_DEFAULT(0));
#endif

#ifdef __cplusplus
}
#endif
