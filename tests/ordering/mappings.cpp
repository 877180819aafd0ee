// SPDX-License-Identifier: Apache-2.0
// Shared segments: the same bytes at several addresses, and the exporter's own mapping.
#include <sys/mman.h>
#include <unistd.h>

#include "tests/ordering/ordering.hpp"

namespace {

constexpr size_t page = 4096, length = 4 * page;

// A segment that the program has exported; the program has a mapping of it, too.
class Segment {
 public:
  Segment() : file_(memfd_create("cuvette-ordering", MFD_ALLOW_SEALING)) {
    if (file_ < 0 || ftruncate(file_, length) != 0) _Exit(4);
    void* const view = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (view == MAP_FAILED) _Exit(4);
    bytes = static_cast<uint8_t*>(view);
  }
  ~Segment() { close(file_); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  CUexternalMemory import() const {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
    description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    description.handle.fd = dup(file_);
    description.size = length;
    CUexternalMemory memory = nullptr;
    NEED(cuImportExternalMemory(&memory, &description));
    return memory;
  }

  uint8_t* bytes = nullptr;

 private:
  const int file_;
};

CUdeviceptr map(CUexternalMemory memory, size_t offset, size_t bytes) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
  description.offset = offset;
  description.size = bytes;
  CUdeviceptr address = 0;
  NEED(cuExternalMemoryGetMappedBuffer(&address, memory, &description));
  return address;
}

}  // namespace

// Two libraries import the same buffer, and each uses it at an address of its own.
int writes_through_two_imports(Form form) {
  const Program program;
  const Segment segment;
  const CUdeviceptr left = map(segment.import(), 0, length);
  const CUdeviceptr right = map(segment.import(), 0, length);
  const CUstream first = new_stream(), second = new_stream();
  NEED(cuMemsetD8Async(left, 1, length, first));
  if (form == Form::right) order(first, second);
  NEED(cuMemsetD8Async(right, 2, length, second));
  NEED(cuCtxSynchronize());
  return sees("the segment", segment.bytes, 2, length);
}

// Ranges that share a page.
int writes_overlapping_ranges(Form form) {
  const Program program;
  const Segment segment;
  const CUexternalMemory memory = segment.import();
  const CUdeviceptr head = map(memory, 0, 2 * page), tail = map(memory, page, 2 * page);
  const CUstream first = new_stream(), second = new_stream();
  NEED(cuMemsetD8Async(head, 1, 2 * page, first));
  if (form == Form::right) order(first, second);
  NEED(cuMemsetD8Async(tail, 2, 2 * page, second));
  NEED(cuCtxSynchronize());
  return sees("the first page", segment.bytes, 1, page) |
         sees("the page of both", segment.bytes + page, 2, page);
}

int reads_by_another_mapping(Form form) {
  const Program program;
  const Segment segment;
  const CUexternalMemory memory = segment.import();
  const CUdeviceptr one = map(memory, 0, length), other = map(memory, page, page);
  const CUdeviceptr out = new_memory(0);
  const CUstream first = new_stream(), second = new_stream();
  NEED(cuMemsetD8Async(one, 7, length, first));
  if (form == Form::right) order(first, second);
  NEED(cuMemcpyDtoDAsync(out, other, size, second));
  return finds("the copy", out, 7);
}

int reads_the_segment_at_once(Form form) {
  const Program program;
  const Segment segment;
  const CUdeviceptr memory = map(segment.import(), 0, length);
  const CUstream stream = new_stream();
  NEED(cuMemsetD8Async(memory, 7, length, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  return sees("the segment", segment.bytes, 7, length);
}

// The exporter, which renders into the segment, begins the next frame too early.
int renders_into_what_is_still_read(Form form) {
  const Program program;
  const Segment segment;
  const CUdeviceptr memory = map(segment.import(), 0, length), out = new_memory(0);
  const CUstream stream = new_stream();
  write(segment.bytes, 1, length);
  NEED(cuMemcpyDtoDAsync(out, memory, size, stream));
  if (form == Form::right) NEED(cuStreamSynchronize(stream));
  write(segment.bytes, 2, length);
  return finds("the copy", out, 1);
}

// The exporter is told too early that a frame is ready.
int tells_the_exporter_too_early(Form form) {
  const Program program;
  const Segment segment;
  const CUdeviceptr memory = map(segment.import(), 0, length), picture = new_memory(7);
  const CUstream stream = new_stream();
  const CUevent ready = new_event();
  volatile uint8_t* const flag = segment.bytes + length - 1;
  if (form == Form::wrong) NEED(cuMemsetD8Async(memory + length - 1, 1, 1, stream));
  NEED(cuMemcpyDtoDAsync(memory, picture, size, stream));
  if (form == Form::right) NEED(cuMemsetD8Async(memory + length - 1, 1, 1, stream));
  NEED(cuEventRecord(ready, stream));
  while (!*flag)
    if (const CUresult answer = cuEventQuery(ready); answer != CUDA_ERROR_NOT_READY) NEED(answer);
  return sees("the segment", segment.bytes, 7);
}
