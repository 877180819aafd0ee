// SPDX-License-Identifier: Apache-2.0
// Programs that end what work under way still needs.
#include <cstdlib>

#include "tests/wrong/api/api.hpp"

void unregisters_under_a_copy(Twin twin) {
  const Program program;
  const CUdeviceptr memory = new_memory();
  void* const host = aligned_alloc(size, size);
  NEED(cuMemHostRegister(host, size, 0));
  const CUstream stream = new_stream();
  NEED(cuMemcpyHtoDAsync(memory, host, size, stream));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(stream));
  NEED(MISTAKE(cuMemHostUnregister(host)));
  NEED(cuStreamSynchronize(stream));
  NEED(cuStreamDestroy(stream));
  free(host);
  NEED(cuMemFree(memory));
}

void unmaps_under_a_fill(Twin twin) {
  const Program program;
  Aliases aliases;
  const CUstream stream = new_stream(), other = new_stream();
  NEED(cuMemsetD8Async(aliases.at, 0, 4096, stream));
  CUevent event = nullptr;
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  NEED(cuEventRecord(event, stream));
  // In the repaired twin, waiting for what comes after the fill is waiting for the fill.
  if (twin == Twin::repaired) NEED(cuStreamWaitEvent(other, event, 0));
  NEED(cuStreamSynchronize(other));
  NEED(MISTAKE(cuMemUnmap(aliases.at, 2 * Aliases::granule)));
  NEED(cuMemAddressFree(aliases.at, 2 * Aliases::granule));
  NEED(cuMemRelease(aliases.memory));
  NEED(cuEventDestroy(event));
  NEED(cuStreamDestroy(stream));
  NEED(cuStreamDestroy(other));
}

void ends_a_busy_context(Twin twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuCtxCreate_v4(&context, nullptr, 0, 0));
  const CUdeviceptr memory = new_memory();
  NEED(cuMemFree(memory));
  CUstream stream = new_stream();
  NEED(cuLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  if (twin == Twin::repaired) NEED(cuCtxSynchronize());
  NEED(MISTAKE(cuCtxDestroy(context)));
}

void resets_a_busy_device(Twin twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  CUdeviceptr memory = 0;
  NEED(cuMemAllocAsync(&memory, size, nullptr));
  NEED(cuMemsetD8Async(memory, 0, size, nullptr));
  NEED(cuMemFreeAsync(memory, nullptr));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(nullptr));
  NEED(MISTAKE(cuDevicePrimaryCtxReset(0)));
}

// cuMemFree does not wait for those that use memory of a pool.
void frees_memory_of_a_pool_under_a_fill(Twin twin) {
  const Program program;
  const CUstream stream = new_stream();
  CUdeviceptr memory = 0;
  NEED(cuMemAllocAsync(&memory, size, stream));
  NEED(cuMemsetD8Async(memory, 0, size, stream));
  if (twin == Twin::wrong)
    NEED(MISTAKE(cuMemFree(memory)));
  else
    NEED(cuMemFreeAsync(memory, stream));
  NEED(cuStreamSynchronize(stream));
  NEED(cuStreamDestroy(stream));
}

// A kernel is known to use it once it has run.
void frees_memory_of_a_pool_under_a_kernel(Twin twin) {
  const Program program;
  const CUfunction function = store_kernel();
  const CUstream stream = new_stream();
  CUdeviceptr memory = 0, other = 0;
  NEED(cuMemAllocAsync(&memory, size, stream));
  NEED(cuMemAllocAsync(&other, size, stream));
  void* parameters[] = {&memory};
  NEED(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  if (twin == Twin::wrong)
    NEED(MISTAKE(cuMemFree(memory)));
  else
    NEED(cuMemFreeAsync(memory, stream));
  NEED(cuMemFree(other));  // which nothing uses
  NEED(cuStreamSynchronize(stream));
  NEED(cuStreamDestroy(stream));
}
