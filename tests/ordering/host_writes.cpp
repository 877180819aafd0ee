// SPDX-License-Identifier: Apache-2.0
// The host overwrites, or gives away, memory that the device has yet to read.
#include <vector>

#include "tests/ordering/ordering.hpp"

int overwrites_a_staging_buffer(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr first = new_memory(0), second = new_memory(0);
  uint8_t* const staging = new_pinned(1);
  NEED(cuMemcpyHtoDAsync(first, staging, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  write(staging, 2);
  NEED(cuMemcpyHtoDAsync(second, staging, size, stream));
  return finds("the first upload", first, 1) | finds("the second upload", second, 2);
}

namespace {

// Staging buffers to be reused: giving one back means that its bytes are no longer needed.
class Pool {
 public:
  uint8_t* take() {
    if (free_.empty()) return new_pinned(0);
    uint8_t* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void give_back(uint8_t* buffer) { free_.push_back(buffer); }

 private:
  std::vector<uint8_t*> free_;
};

void upload(Pool& pool, CUdeviceptr to, uint8_t value, CUstream stream, Form form) {
  uint8_t* const staging = pool.take();
  write(staging, value);
  NEED(cuMemcpyHtoDAsync(to, staging, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  pool.give_back(staging);
}

}  // namespace

// A function has its own staging buffer, which is gone when the function returns.
int returns_a_staging_buffer_too_early(Form form) {
  const Program program;
  const CUstream one = new_stream(), other = new_stream();
  const CUdeviceptr first = new_memory(0), second = new_memory(0);
  Pool pool;
  upload(pool, first, 1, one, form);
  upload(pool, second, 2, other, form);
  return finds("the first upload", first, 1) | finds("the second upload", second, 2);
}

// A ring of two buffers; before one is reused, its event is waited for.
int records_before_the_upload(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0, 6 * size);
  uint8_t* const ring[] = {new_pinned(0), new_pinned(0)};
  const CUevent read[] = {new_event(), new_event()};
  for (unsigned frame = 0; frame < 6; ++frame) {
    const unsigned slot = frame % 2;
    NEED(cuEventSynchronize(read[slot]));
    write(ring[slot], static_cast<uint8_t>(1 + frame));
    if (form == Form::wrong) NEED(cuEventRecord(read[slot], stream));
    NEED(cuMemcpyHtoDAsync(device + frame * size, ring[slot], size, stream));
    if (form == Form::right) NEED(cuEventRecord(read[slot], stream));
  }
  for (unsigned frame = 0; frame < 6; ++frame)
    if (finds("a frame", device + frame * size, static_cast<uint8_t>(1 + frame))) return 1;
  return 0;
}

// An event that was never recorded counts as complete.
int asks_an_event_before_it_is_recorded(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const staging = new_pinned(1);
  const CUevent read = new_event();
  NEED(cuMemcpyHtoDAsync(device, staging, size, stream));
  if (form == Form::right) NEED(cuEventRecord(read, stream));
  for (CUresult answer; (answer = cuEventQuery(read)) != CUDA_SUCCESS;)
    if (answer != CUDA_ERROR_NOT_READY) NEED(answer);
  write(staging, 2);
  if (form == Form::wrong) NEED(cuEventRecord(read, stream));
  return finds("the upload", device, 1);
}

int overwrites_the_argument_of_a_host_function(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  struct Argument {
    uint8_t* to;
    uint8_t value;
  };
  static Argument argument;
  uint8_t* const out = new_pinned(0, 2);
  for (uint8_t i = 0; i < 2; ++i) {
    argument = {out + i, static_cast<uint8_t>(i + 1)};
    NEED(cuLaunchHostFunc(
        stream,
        [](void* data) {
          const auto* given = static_cast<Argument*>(data);
          *given->to = given->value;
        },
        &argument));
    if (form == Form::right) NEED(cuStreamSynchronize(stream));
  }
  NEED(cuStreamSynchronize(stream));
  return verdict("the first place", out[0], 1) | verdict("the second place", out[1], 2);
}

int overwrites_managed_memory_that_is_read(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  CUdeviceptr managed = 0;
  NEED(cuMemAllocManaged(&managed, size, CU_MEM_ATTACH_GLOBAL));
  auto* const host = reinterpret_cast<uint8_t*>(managed);
  write(host, 1);
  NEED(cuMemcpyDtoDAsync(device, managed, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  write(host, 2);
  return finds("the copy", device, 1);
}

// Two streams read the same bytes, and the host waits for only one of them.
int waits_for_one_of_two_readers(Form form) {
  const Program program;
  const CUstream left = new_stream(), right = new_stream();
  const CUdeviceptr to_left = new_memory(0), to_right = new_memory(0);
  uint8_t* const staging = new_pinned(1);
  NEED(cuMemcpyHtoDAsync(to_left, staging, size, left));
  NEED(cuMemcpyHtoDAsync(to_right, staging, size, right));
  NEED(cuStreamSynchronize(left));
  if (form == Form::right) NEED(cuStreamSynchronize(right));
  write(staging, 2);
  return finds("the left copy", to_left, 1) | finds("the right copy", to_right, 1);
}

// The wait covers only work submitted before the upload.
int waits_before_the_upload(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  const CUdeviceptr device = new_memory(0);
  uint8_t* const staging = new_pinned(1);
  if (form == Form::wrong) NEED(cuStreamSynchronize(stream));
  NEED(cuMemcpyHtoDAsync(device, staging, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  write(staging, 2);
  return finds("the upload", device, 1);
}

// Pinned memory is filled by the device, and then half of it by the host.
int fills_from_both_sides(Form form) {
  const Program program;
  const CUstream stream = new_stream();
  uint8_t* const host = new_pinned(0);
  CUdeviceptr device = 0;
  NEED(cuMemHostGetDevicePointer(&device, host, 0));
  NEED(cuMemsetD8Async(device, 1, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  write(host, 2, size / 2);
  NEED(cuStreamSynchronize(stream));
  return sees("the host's half", host, 2, size / 2) |
         sees("the device's half", host + size / 2, 1, size / 2);
}
