// SPDX-License-Identifier: Apache-2.0
// The host reads before the device has written.
#include "tests/ordering/ordering.hpp"

// A download into pinned memory returns at once.
int reads_a_download_at_once(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("the download", host, 7);
}

int reads_a_fill_of_pinned_memory_at_once(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  uint8_t* const host = new_pinned(0);
  CUdeviceptr device = 0;
  NEED(cuMemHostGetDevicePointer(&device, host, 0));
  NEED(cuMemsetD8Async(device, 7, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("pinned memory", host, 7);
}

int reads_a_fill_of_managed_memory_at_once(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  CUdeviceptr managed = 0;
  NEED(cuMemAllocManaged(&managed, size, CU_MEM_ATTACH_GLOBAL));
  auto* const host = reinterpret_cast<uint8_t*>(managed);
  write(host, 0);
  NEED(cuMemsetD8Async(managed, 7, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("managed memory", host, 7);
}

int reads_a_box_at_once(Form form) {
  const Program program;
  static uint8_t host[size];
  NEED(cuMemHostRegister(host, size, 0));
  const CUstream stream = new_stream();
  CUDA_MEMCPY2D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = new_memory(7);
  box.srcPitch = 16;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = host;
  box.dstPitch = 8;
  box.WidthInBytes = 8;
  box.Height = 4;
  NEED(cuMemcpy2DAsync(&box, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("the box", host, 7, 32);
}

int reads_what_a_host_function_writes_at_once(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  uint8_t* const host = new_pinned(0);
  NEED(cuLaunchHostFunc(
      stream, [](void* data) { write(static_cast<uint8_t*>(data), 7); }, host));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("what the host function writes", host, 7);
}

// The wait is there, but one line too early.
int waits_before_the_download(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemsetD8Async(device, 7, size, stream));
  if (form == Form::wrong) NEED(cuStreamSynchronize(stream));
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("the download", host, 7);
}

int waits_for_the_wrong_stream(Form form) {
  const Program program;
  const CUstream compute = new_stream(), download = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemsetD8Async(device, 7, size, compute));
  order(compute, download);
  NEED(cuMemcpyDtoHAsync(host, device, size, download));
  NEED(cuStreamSynchronize(form == Form::right ? download : compute));
  return sees("the download", host, 7);
}

int waits_for_the_wrong_event(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const host = new_pinned(0);
  const CUevent filled = new_event(), downloaded = new_event();
  NEED(cuMemsetD8Async(device, 7, size, stream));
  NEED(cuEventRecord(filled, stream));
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  NEED(cuEventRecord(downloaded, stream));
  NEED(cuEventSynchronize(form == Form::right ? downloaded : filled));
  return sees("the download", host, 7);
}

int waits_for_an_event_that_is_recorded_too_early(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  const CUevent done = new_event();
  if (form == Form::wrong) NEED(cuEventRecord(done, stream));
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuEventRecord(done, stream));
  NEED(cuEventSynchronize(done));
  return sees("the download", host, 7);
}

// An event stands for its most recent record, which here is that of the previous frame.
int waits_for_the_event_of_the_last_frame(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const host = new_pinned(0);
  const CUevent done = new_event();
  NEED(cuEventRecord(done, stream));
  for (uint8_t frame = 1; frame <= 3; ++frame) {
    NEED(cuMemsetD8Async(device, frame, size, stream));
    NEED(cuMemcpyDtoHAsync(host, device, size, stream));
    if (form == Form::right) NEED(cuEventRecord(done, stream));
    NEED(cuEventSynchronize(done));
    if (const int status = sees("the frame", host, frame)) return status;
    if (form == Form::wrong) NEED(cuEventRecord(done, stream));
  }
  return 0;
}

int asks_once_and_takes_it_for_done(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  CUresult answer = cuStreamQuery(stream);
  while (form == Form::right && answer == CUDA_ERROR_NOT_READY) answer = cuStreamQuery(stream);
  if (answer != CUDA_ERROR_NOT_READY) NEED(answer);
  // Under a schedule, a query takes a step after it has its answer.
  return verdict(answer == CUDA_SUCCESS, "the answer", answer, CUDA_SUCCESS) |
         sees("the download", host, 7);
}

int polls_an_event_that_is_recorded_too_early(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const host = new_pinned(0);
  const CUevent done = new_event();
  NEED(cuMemsetD8Async(device, 7, size, stream));
  if (form == Form::wrong) NEED(cuEventRecord(done, stream));
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuEventRecord(done, stream));
  for (CUresult answer; (answer = cuEventQuery(done)) != CUDA_SUCCESS;)
    if (answer != CUDA_ERROR_NOT_READY) NEED(answer);
  return sees("the download", host, 7);
}

// "It has never taken longer."
int gives_up_polling(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const host = new_pinned(0);
  for (uint8_t value = 1; value <= 7; ++value) NEED(cuMemsetD8Async(device, value, size, stream));
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  for (int turn = 0; form == Form::right || turn < 3; ++turn)
    if (cuStreamQuery(stream) == CUDA_SUCCESS) break;
  return sees("the download", host, 7);
}

// The flag is set in stream order, but the data come after it.
int polls_a_flag_that_is_set_before_the_data(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  uint8_t* const flag = new_pinned(0);
  CUdeviceptr flag_address = 0;
  NEED(cuMemHostGetDevicePointer(&flag_address, flag, 0));
  if (form == Form::wrong) NEED(cuMemsetD8Async(flag_address, 1, 1, stream));
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuMemsetD8Async(flag_address, 1, 1, stream));
  while (!*static_cast<volatile uint8_t*>(flag))
    if (cuStreamQuery(stream) == CUDA_SUCCESS) break;
  return sees("the download", host, 7);
}

// The documentation of cuStreamDestroy() says that the work will be completed, but not that this
// happens before it returns.
int takes_destroying_a_stream_for_waiting(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  NEED(cuStreamDestroy(stream));
  return sees("the download", host, 7);
}

int waits_for_one_of_two_downloads(Form form) {
  const Program program;
  const CUstream left = new_stream(), right = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemcpyDtoHAsync(host, device, size / 2, left));
  NEED(cuMemcpyDtoHAsync(host + size / 2, device + size / 2, size / 2, right));
  NEED(cuStreamSynchronize(left));
  if (form == Form::right) NEED(cuStreamSynchronize(right));
  return sees("the download", host, 7);
}

// cuCtxSynchronize() waits only for the current context.
int waits_for_the_other_context(Form form) {
  const Program program;
  CUcontext other = nullptr;
  NEED(cuCtxCreate(&other, nullptr, 0, 0));
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(7);
  uint8_t* const host = new_pinned(0);
  NEED(cuMemcpyDtoHAsync(host, device, size, stream));
  NEED(cuCtxSetCurrent(form == Form::right ? other : program.context));
  NEED(cuCtxSynchronize());
  const int status = sees("the download", host, 7);
  NEED(cuCtxDestroy(other));
  return status;
}

// The time between two events is not known before the second one is complete.
int asks_for_the_time_at_once(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  const CUevent begin = new_event(0), end = new_event(0);
  NEED(cuEventRecord(begin, stream));
  NEED(cuMemsetD8Async(device, 7, size, stream));
  NEED(cuEventRecord(end, stream));
  if (form == Form::right) NEED(cuEventSynchronize(end));
  float milliseconds = -1;
  const CUresult answer = cuEventElapsedTime(&milliseconds, begin, end);
  if (answer != CUDA_ERROR_NOT_READY) NEED(answer);
  return verdict("the answer of cuEventElapsedTime", answer, CUDA_SUCCESS);
}
