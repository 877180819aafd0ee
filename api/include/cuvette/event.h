// SPDX-License-Identifier: Apache-2.0
// Events: marks in a stream's order, which the host and other streams can wait for, and between
// which time can be measured.
//
// Reference: CUDA Driver API, "Event Management".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cl_event_flags_enum {
  NVCL_EVENT_SCHED_AUTO = 0x0,
  NVCL_EVENT_SCHED_SPIN = 0x1,
  NVCL_EVENT_SCHED_YIELD = 0x2,
  NVCL_EVENT_SCHED_BLOCKING_SYNC = 0x4,
} cl_event_flags;

// CU_EVENT_INTERPROCESS requires CU_EVENT_DISABLE_TIMING.
typedef enum CUevent_flags_enum {
  CU_EVENT_DEFAULT = 0x0,
  CU_EVENT_BLOCKING_SYNC = 0x1,
  CU_EVENT_DISABLE_TIMING = 0x2,
  CU_EVENT_INTERPROCESS = 0x4,
} CUevent_flags;

typedef enum CUevent_record_flags_enum {
  CU_EVENT_RECORD_DEFAULT = 0x0,
  CU_EVENT_RECORD_EXTERNAL = 0x1,
} CUevent_record_flags;

typedef enum CUevent_sched_flags_enum {
  CU_EVENT_SCHED_AUTO = 0x0,
  CU_EVENT_SCHED_SPIN = 0x1,
  CU_EVENT_SCHED_YIELD = 0x2,
  CU_EVENT_SCHED_BLOCKING_SYNC = 0x4,
} CUevent_sched_flags;

typedef enum CUevent_wait_flags_enum {
  CU_EVENT_WAIT_DEFAULT = 0x0,
  CU_EVENT_WAIT_EXTERNAL = 0x1,
} CUevent_wait_flags;

// The exported symbol that each of these names expands to.
#define cuEventDestroy cuEventDestroy_v2
#define cuEventElapsedTime cuEventElapsedTime_v2

// These have a per-thread twin only.
#if defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cuEventRecord __CUDA_API_PTSZ(cuEventRecord)
#define cuEventRecordWithFlags __CUDA_API_PTSZ(cuEventRecordWithFlags)
#endif

// Creates an event in the current context. Flags are CUevent_flags.
CUresult CUDAAPI cuEventCreate(CUevent* phEvent, unsigned int Flags);

// Destroys an event, which may still be pending.
CUresult CUDAAPI cuEventDestroy(CUevent hEvent);

// Writes the time between two events in milliseconds, to about half a microsecond.
// CUDA_ERROR_INVALID_HANDLE if one was never recorded or has no timing, CUDA_ERROR_NOT_READY if one
// is not complete.
CUresult CUDAAPI cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd);

// CUDA_SUCCESS if the captured work is complete, or there is none, CUDA_ERROR_NOT_READY if not.
CUresult CUDAAPI cuEventQuery(CUevent hEvent);

// Captures in hEvent all work of hStream so far and forgets an earlier record. Both must belong to
// the same context, else CUDA_ERROR_INVALID_HANDLE.
CUresult CUDAAPI cuEventRecord(CUevent hEvent, CUstream hStream);

// As cuEventRecord. CU_EVENT_RECORD_EXTERNAL: a stream in capture gets a node that records the
// event at each launch.
CUresult CUDAAPI cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags);

// Waits until the captured work is complete; does not wait if there is none.
CUresult CUDAAPI cuEventSynchronize(CUevent hEvent);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cuEventDestroy
#undef cuEventElapsedTime
#undef cuEventRecord
#undef cuEventRecordWithFlags

// The other versions that the library exports.
CUresult CUDAAPI cuEventDestroy(CUevent hEvent);
CUresult CUDAAPI cuEventElapsedTime(float* pMilliseconds, CUevent hStart, CUevent hEnd);
CUresult CUDAAPI cuEventRecord(CUevent hEvent, CUstream hStream);
CUresult CUDAAPI cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags);
#endif

#ifdef __cplusplus
}
#endif
