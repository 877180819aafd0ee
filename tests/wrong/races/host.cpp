// SPDX-License-Identifier: Apache-2.0
// What the host waits for, and what it must not rely on.
#include "tests/wrong/races/race.hpp"

void synchronises_with_another_stream(Twin twin) {
  const Program p;
  fill(p.x, p.a);
  NEED(cuStreamSynchronize(twin == Twin::wrong ? p.b : p.a));
  copy(p.y, p.x, p.b);
}

// At present cuMemFree waits for all work, but this is not guaranteed.
void relies_on_freeing_memory(Twin twin) {
  const Program p;
  CUdeviceptr other = 0;
  NEED(cuMemAlloc(&other, size));
  fill(p.x, p.a);
  if (twin == Twin::repaired) NEED(cuCtxSynchronize());
  NEED(cuMemFree(other));
  copy(p.y, p.x, p.b);
}

// The call "might be synchronous".
void relies_on_a_copy_to_pageable_memory(Twin twin) {
  const Program p;
  char here[size];
  fill(p.x, p.a);
  NEED(cuMemcpyDtoHAsync(here, p.x, size, p.a));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  fill(p.x, p.b);
}

// The call returns when the bytes have been read, not when they have arrived.
void relies_on_a_copy_from_pageable_memory(Twin twin) {
  const Program p;
  const char here[size] = {};
  NEED(cuMemcpyHtoD(p.x, here, size));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(CU_STREAM_LEGACY));
  copy(p.y, p.x, p.b);
}

void fills_synchronously_for_another_stream(Twin twin) {
  const Program p;
  NEED(cuMemsetD8(p.x, 1, size));
  if (twin == Twin::repaired) NEED(cuCtxSynchronize());
  copy(p.y, p.x, p.b);
}

void uses_a_staging_buffer_again(Twin twin) {
  const Program p;
  void* const staging = p.pinned_memory(size);
  NEED(cuMemcpyHtoDAsync(p.x, staging, size, p.a));
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  NEED(cuMemcpyDtoHAsync(staging, p.y, size, p.b));
}

// The stream's work goes on.
void destroys_a_busy_stream(Twin twin) {
  Program p;
  fill(p.x, p.a);
  if (twin == Twin::repaired) NEED(cuStreamSynchronize(p.a));
  NEED(cuStreamDestroy(p.a));
  copy(p.y, p.x, p.b);
}

// It waits for blocking streams alone.
void relies_on_waiting_for_the_null_stream(Twin twin) {
  Program p;
  if (twin == Twin::repaired) p.a = new_stream("a", CU_STREAM_DEFAULT);
  fill(p.x, p.a);
  NEED(cuStreamSynchronize(nullptr));
  copy(p.y, p.x, p.b);
}

// Likewise, an H200 waits for everything here.
void relies_on_loading_a_module(Twin twin) {
  const Program p;
  fill(p.x, p.a);
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module,
                        ".version 6.4\n.target sm_70\n.address_size 64\n"
                        ".visible .entry nothing() { ret; }\n"));
  if (twin == Twin::repaired) NEED(cuCtxSynchronize());
  copy(p.y, p.x, p.b);
}
