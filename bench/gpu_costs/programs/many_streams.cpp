// SPDX-License-Identifier: Apache-2.0
// Many streams that live for one frame, joined by events.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUdeviceptr memory = 0;
  CUstream joined = nullptr;
  TIMED(cuMemAlloc, &memory, size_t{1} << 20);
  TIMED(cuStreamCreate, &joined, CU_STREAM_NON_BLOCKING);
  for (int frame = 0; frame < 20; ++frame) {
    CUstream streams[12];
    CUevent events[12];
    for (int i = 0; i < 12; ++i) {
      TIMED(cuStreamCreate, &streams[i], CU_STREAM_NON_BLOCKING);
      TIMED(cuEventCreate, &events[i], CU_EVENT_DISABLE_TIMING);
      scene.launch(memory + 4 * static_cast<size_t>(i), streams[i]);
      TIMED(cuEventRecord, events[i], streams[i]);
      TIMED(cuStreamWaitEvent, joined, events[i], 0u);
    }
    scene.launch(memory, joined);
    TIMED(cuStreamSynchronize, joined);
    for (int i = 0; i < 12; ++i) {
      TIMED(cuEventDestroy, events[i]);
      TIMED(cuStreamDestroy, streams[i]);
    }
  }
  TIMED(cuStreamDestroy, joined);
  TIMED(cuMemFree, memory);
}
