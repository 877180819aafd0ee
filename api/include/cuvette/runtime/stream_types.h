// SPDX-License-Identifier: Apache-2.0
// Streams, events and capture: flags and states.
//
// Reference: CUDA Runtime API, "Stream Management".
#pragma once

#include "handle_types.h"
#include "platform.h"

// Flags of streams. A non-blocking stream ignores the legacy default stream, and is ignored by it.
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01

// Streams that are always there: the device's default stream and this thread's.
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

// Flags of events: waiting threads sleep, no time is measured, other processes can open it.
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04

// Flags of recording: captured as a node instead of an edge.
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01

// Flags of waiting: captured as a node instead of an edge.
#define cudaEventWaitDefault 0x00
#define cudaEventWaitExternal 0x01

// Called on a thread of the driver; it must not call CUDA functions.
typedef void(CUDART_CB* cudaHostFn_t)(void* userData);

// The unsafe calls that a capture forbids: every thread's, this thread's, none.
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};

// Whether a stream is being captured.
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};

// Whether nodes are added to the dependencies of the next node, or replace them.
enum cudaStreamUpdateCaptureDependenciesFlags {
  cudaStreamAddCaptureDependencies = 0x0,
  cudaStreamSetCaptureDependencies = 0x1,
};
