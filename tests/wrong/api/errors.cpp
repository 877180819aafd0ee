// SPDX-License-Identifier: Apache-2.0
// Programs that do not look at what a failed call returns, or at what a failed command leaves.
#include "tests/wrong/api/api.hpp"

namespace {

// The size of what cannot be allocated, or of what can.
size_t bytes_of(Twin twin) { return twin == Twin::wrong ? size_t{1} << 60 : size; }

// Whether it was there: a call that fails leaves 0.
void free_if_any(CUdeviceptr memory) {
  if (memory) NEED(cuMemFree(memory));
}

[[gnu::noinline]] void allocate_last(CUdeviceptr* memory, size_t bytes) {
  static_cast<void>(MISTAKE(cuMemAlloc(memory, bytes)));
}

// Stores to an address, which is null or not.
void store(CUdeviceptr address) {
  const CUfunction function = store_kernel();
  void* parameters[] = {&address};
  NEED(MISTAKE(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr)));
}

}  // namespace

void throws_a_result_away(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  static_cast<void>(MISTAKE(cuMemAlloc(&memory, bytes_of(twin))));
  free_if_any(memory);
}

void throws_a_result_away_at_the_end(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  allocate_last(&memory, bytes_of(twin));
  free_if_any(memory);
}

void overwrites_a_result(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  CUresult result = MISTAKE(cuMemAlloc(&memory, bytes_of(twin)));
  result = cuCtxSynchronize();
  NEED(result);
  free_if_any(memory);
}

void looks_at_a_result_on_one_way(Twin twin) {
  const Program program;
  CUdeviceptr memory = 0;
  const CUresult result = cuMemAlloc(&memory, bytes_of(twin));
  if (twin == Twin::wrong && result != CUDA_ERROR_OUT_OF_MEMORY) _Exit(3);
  free_if_any(memory);
}

void throws_a_sticky_error_away(Twin twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  const CUdeviceptr memory = new_memory();
  store(twin == Twin::wrong ? 0 : memory);
  static_cast<void>(cuCtxSynchronize());
  static_cast<void>(cuMemFree(memory));
  static_cast<void>(cuDevicePrimaryCtxReset(0));
}

void never_asks_for_a_sticky_error(Twin twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuCtxCreate_v4(&context, nullptr, 0, 0));
  const CUdeviceptr memory = twin == Twin::wrong ? 0 : new_memory();
  store(memory);
  if (twin == Twin::repaired) {
    NEED(cuCtxSynchronize());
    NEED(cuMemFree(memory));
  }
  static_cast<void>(cuCtxDestroy(context));
}

void looks_at_a_sticky_error(Twin twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  const CUdeviceptr memory = new_memory();
  store(twin == Twin::wrong ? 0 : memory);
  const CUresult result = cuCtxSynchronize();
  if ((result != CUDA_SUCCESS) != (twin == Twin::wrong)) _Exit(3);
  static_cast<void>(cuMemFree(memory));
  static_cast<void>(cuDevicePrimaryCtxReset(0));
}
