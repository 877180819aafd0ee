// SPDX-License-Identifier: Apache-2.0
// Small messages of many sizes that go to the device through pinned memory, and the answers back.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream up = nullptr, down = nullptr;
  CUevent there = nullptr;
  CUdeviceptr memory = 0;
  void* host = nullptr;
  TIMED(cuStreamCreate, &up, CU_STREAM_NON_BLOCKING);
  TIMED(cuStreamCreate, &down, CU_STREAM_NON_BLOCKING);
  TIMED(cuEventCreate, &there, CU_EVENT_DISABLE_TIMING);
  TIMED(cuMemAlloc, &memory, size_t{4} << 20);
  TIMED(cuMemAllocHost, &host, size_t{4} << 20);
  unsigned lot = 1;
  for (int message = 0; message < 150; ++message) {
    lot = lot * 1664525u + 1013904223u;
    const size_t size = size_t{100} << (lot >> 28);  // 100 bytes to 3.1 MiB
    TIMED(cuMemcpyHtoDAsync, memory, static_cast<const void*>(host), size, up);
    TIMED(cuEventRecord, there, up);
    TIMED(cuStreamWaitEvent, down, there, 0u);
    scene.launch(memory, down);
    TIMED(cuMemcpyDtoHAsync, host, memory, size_t{512}, down);
    TIMED(cuStreamSynchronize, down);
  }
  TIMED(cuMemFreeHost, host);
  TIMED(cuMemFree, memory);
  TIMED(cuEventDestroy, there);
  TIMED(cuStreamDestroy, up);
  TIMED(cuStreamDestroy, down);
}
