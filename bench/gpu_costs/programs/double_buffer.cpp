// SPDX-License-Identifier: Apache-2.0
// Two streams copy and compute in turns through pinned memory.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  constexpr size_t size = size_t{512} << 10;
  CUstream streams[2];
  CUevent done[2];
  CUdeviceptr memory[2];
  void* host[2];
  for (int i = 0; i < 2; ++i) {
    TIMED(cuStreamCreate, &streams[i], CU_STREAM_NON_BLOCKING);
    TIMED(cuEventCreate, &done[i], CU_EVENT_DISABLE_TIMING);
    TIMED(cuMemAlloc, &memory[i], size);
    TIMED(cuMemAllocHost, &host[i], size);
  }
  for (int step = 0; step < 120; ++step) {
    const int i = step % 2;
    if (step > 1) TIMED(cuEventSynchronize, done[i]);
    TIMED(cuMemcpyHtoDAsync, memory[i], static_cast<const void*>(host[i]), size, streams[i]);
    scene.launch(memory[i], streams[i]);
    TIMED(cuMemcpyDtoHAsync, host[i], memory[i], size, streams[i]);
    TIMED(cuEventRecord, done[i], streams[i]);
  }
  for (int i = 0; i < 2; ++i) {
    TIMED(cuStreamSynchronize, streams[i]);
    TIMED(cuMemFreeHost, host[i]);
    TIMED(cuMemFree, memory[i]);
    TIMED(cuEventDestroy, done[i]);
    TIMED(cuStreamDestroy, streams[i]);
  }
}
