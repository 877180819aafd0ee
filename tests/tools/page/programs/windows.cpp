// SPDX-License-Identifier: Apache-2.0
// Memory of another process or API, here of a file, with three windows that share some of its
// bytes.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <initializer_list>

#include "tests/tools/page/programs/program.hpp"

namespace {

CUDA_EXTERNAL_MEMORY_BUFFER_DESC bytes(size_t offset, size_t size) {
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC description = {};
  description.offset = offset;
  description.size = size;
  return description;
}

}  // namespace

int main() {
  constexpr size_t KiB = 1024, size = 1024 * KiB;
  begin();
  const CUfunction sum = kernel_of(new_module(kernel_text("sum", true)), "sum");
  const int file = memfd_create("frames", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, size) != 0) return 2;
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = {};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = file;
  description.size = size;
  CUexternalMemory memory;
  CUDA(cuImportExternalMemory(&memory, &description));

  CUdeviceptr head, middle, tail;
  const auto first = bytes(0, 384 * KiB), second = bytes(256 * KiB, 512 * KiB);
  const auto third = bytes(704 * KiB, 320 * KiB);
  CUDA(cuExternalMemoryGetMappedBuffer(&head, memory, &first));
  CUDA(cuExternalMemoryGetMappedBuffer(&middle, memory, &second));
  CUDA(cuExternalMemoryGetMappedBuffer(&tail, memory, &third));
  const CUstream fills = new_stream(), sums = new_stream();
  CUevent filled;
  CUDA(cuEventCreate(&filled, CU_EVENT_DISABLE_TIMING));
  CUDA(cuMemsetD8Async(head, 1, 384 * KiB, fills));
  CUDA(cuEventRecord(filled, fills));
  CUDA(cuStreamWaitEvent(sums, filled, 0));
  CUdeviceptr to = tail + 64 * KiB;
  void* arguments[] = {&to, &middle};
  CUDA(cuLaunchKernel(sum, 256 * KiB / 4 / block, 1, 1, block, 1, 1, 0, sums, arguments, nullptr));
  CUDA(cuMemsetD8Async(tail, 0, 64 * KiB, sums));

  CUDA(cuStreamSynchronize(sums));
  for (const CUdeviceptr window : {head, middle, tail}) CUDA(cuMemFree(window));
  CUDA(cuDestroyExternalMemory(memory));
  return 0;
}
