// SPDX-License-Identifier: Apache-2.0
// A graph that is captured anew in each round, and updates the program of the first.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  CUgraphExec program = nullptr;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  TIMED(cuMemAlloc, &memory, size_t{2} << 20);
  for (int round = 0; round < 40; ++round) {
    CUgraph graph = nullptr;
    TIMED(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
    TIMED(cuMemsetD32Async, memory, 5u, size_t{1} << 12, stream);
    for (int i = 0; i < 14; ++i) scene.launch(memory + 64 * static_cast<size_t>(round + i), stream);
    TIMED(cuStreamEndCapture, stream, &graph);
    if (program) {
      CUgraphExecUpdateResultInfo answer{};
      TIMED(cuGraphExecUpdate, program, graph, &answer);
    } else {
      TIMED(cuGraphInstantiate, &program, graph, 0ull);
    }
    TIMED(cuGraphDestroy, graph);
    for (int i = 0; i < 3; ++i) TIMED(cuGraphLaunch, program, stream);
    TIMED(cuStreamSynchronize, stream);
  }
  TIMED(cuGraphExecDestroy, program);
  TIMED(cuMemFree, memory);
  TIMED(cuStreamDestroy, stream);
}
