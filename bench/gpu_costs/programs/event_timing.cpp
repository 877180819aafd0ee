// SPDX-License-Identifier: Apache-2.0
// A benchmark: each step of four streams lies between events that keep time.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream streams[4] = {};
  CUevent begin[4] = {}, end[4] = {};
  CUdeviceptr memory = 0;
  TIMED(cuMemAlloc, &memory, size_t{64} << 10);
  for (int i = 0; i < 4; ++i) {
    TIMED(cuStreamCreateWithPriority, &streams[i], CU_STREAM_NON_BLOCKING, i % 2 ? -1 : 0);
    TIMED(cuEventCreate, &begin[i], CU_EVENT_DEFAULT);
    TIMED(cuEventCreate, &end[i], CU_EVENT_DEFAULT);
  }
  for (int step = 0; step < 70; ++step) {
    for (int i = 0; i < 4; ++i) {
      TIMED(cuEventRecord, begin[i], streams[i]);
      for (int repeat = 0; repeat <= i; ++repeat) scene.launch(memory, streams[i]);
      TIMED(cuEventRecord, end[i], streams[i]);
    }
    for (int i = 0; i < 4; ++i) {
      float ms = 0;
      TIMED(cuEventSynchronize, end[i]);
      TIMED(cuEventElapsedTime, &ms, begin[i], end[i]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    TIMED(cuEventDestroy, begin[i]);
    TIMED(cuEventDestroy, end[i]);
    TIMED(cuStreamDestroy, streams[i]);
  }
  TIMED(cuMemFree, memory);
}
