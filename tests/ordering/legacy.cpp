// SPDX-License-Identifier: Apache-2.0
// What the legacy stream orders, and what it does not.
#include "tests/ordering/ordering.hpp"

// A stream that is ordered with the legacy stream in the right form, and not in the wrong one.
static CUstream stream_of(Form form) {
  return new_stream(form == Form::right ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
}

int downloads_by_the_legacy_stream(Form form) {
  const Program program;
  const CUstream stream = stream_of(form);
  const CUdeviceptr device = new_memory(0);
  NEED(cuMemsetD8Async(device, 7, size, stream));
  uint8_t host[size];
  NEED(cuMemcpyDtoH(host, device, size));
  return sees("the download", host, 7);
}

// cuMemsetD8() returns before the memory is set.
int fills_by_the_legacy_stream(Form form) {
  const Program program;
  const CUstream stream = stream_of(form);
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  NEED(cuMemsetD8(made, 7, size));
  NEED(cuMemcpyDtoDAsync(used, made, size, stream));
  return finds("the copy", used, 7);
}

// So does cuMemcpyDtoD().
int copies_by_the_legacy_stream(Form form) {
  const Program program;
  const CUstream stream = stream_of(form);
  const CUdeviceptr source = new_memory(7), made = new_memory(0);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemcpyDtoD(made, source, size));
  NEED(cuMemcpyDtoHAsync(host, made, size, stream));
  NEED(cuStreamSynchronize(stream));
  return sees("the download", host, 7);
}

// Uploads from pinned memory into memory that a stream is still reading.
int uploads_into_what_is_still_read(Form form) {
  const Program program;
  const CUstream stream = stream_of(form);
  const CUdeviceptr input = new_memory(1), output = new_memory(0);
  const uint8_t* const next = new_pinned(2);
  NEED(cuMemcpyDtoDAsync(output, input, size, stream));
  NEED(cuMemcpyHtoD(input, next, size));
  return finds("the copy", output, 1);
}

// Work in the legacy stream between two streams orders them only if both are blocking.
int takes_the_legacy_stream_for_a_barrier(Form form) {
  const Program program;
  const CUstream maker = new_stream(CU_STREAM_DEFAULT), user = stream_of(form);
  const CUdeviceptr made = new_memory(0), used = new_memory(0), other = new_memory(0);
  NEED(cuMemsetD8Async(made, 7, size, maker));
  NEED(cuMemsetD8Async(other, 1, size, CU_STREAM_LEGACY));
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}

// Blocking streams are ordered with the legacy stream, but not with each other.
int takes_blocking_streams_for_ordered(Form form) {
  const Program program;
  const CUstream maker = new_stream(CU_STREAM_DEFAULT), user = new_stream(CU_STREAM_DEFAULT);
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  NEED(cuMemsetD8Async(made, 7, size, maker));
  if (form == Form::right)
    NEED(cuLaunchHostFunc(
        CU_STREAM_LEGACY, [](void*) {}, nullptr));
  NEED(cuMemcpyDtoDAsync(used, made, size, user));
  return finds("the copy", used, 7);
}

int waits_for_the_legacy_stream(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  NEED(cuStreamSynchronize(form == Form::right ? stream : CU_STREAM_LEGACY));
  return sees("the download", host, 7);
}

int records_in_the_legacy_stream(Form form) {
  const Program program;
  const CUstream stream = stream_of(form);
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  const CUevent done = new_event();
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  NEED(cuEventRecord(done, CU_STREAM_LEGACY));
  NEED(cuEventSynchronize(done));
  return sees("the download", host, 7);
}

// The per-thread stream is an ordinary blocking stream: it comes after the legacy stream's fill,
// but not after a non-blocking stream's.
int takes_the_per_thread_stream_for_the_legacy_one(Form form) {
  const Program program;
  const CUstream maker = new_stream(CU_STREAM_DEFAULT);
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  NEED(cuMemsetD8Async(made, 7, size, maker));
  NEED(cuMemcpyDtoDAsync(used, made, size,
                         form == Form::right ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD));
  return finds("the copy", used, 7);
}

// When an upload from pageable memory returns, the device may still be reading the staged bytes.
int uploads_pageable_memory_and_uses_it_elsewhere(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr made = new_memory(0), used = new_memory(0);
  uint8_t host[size];
  write(host, 7);
  NEED(cuMemcpyHtoD(made, host, size));
  if (form == Form::right) order(CU_STREAM_LEGACY, stream);
  NEED(cuMemcpyDtoDAsync(used, made, size, stream));
  return finds("the copy", used, 7);
}

// A download into pageable memory may return before it is done: "might be synchronous".
int reads_a_pageable_download_at_once(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t host[size] = {};
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  const int status = sees("the download", host, 7);
  NEED(cuStreamSynchronize(stream));
  return status;
}
