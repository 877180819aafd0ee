// SPDX-License-Identifier: Apache-2.0
// A graph is captured, instantiated, launched again and again, and made anew with other arguments.
#include "bench/gpu_costs/programs/timed.hpp"

int main() {
  const timed::Scene scene;
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  TIMED(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  TIMED(cuMemAlloc, &memory, size_t{1} << 20);
  for (int round = 0; round < 12; ++round) {
    CUgraph graph = nullptr;
    CUgraphExec program = nullptr;
    TIMED(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    for (int i = 0; i < 30; ++i) scene.launch(memory + 4 * static_cast<size_t>(i), stream);
    TIMED(cuStreamEndCapture, stream, &graph);
    TIMED(cuGraphInstantiate, &program, graph, 0ull);
    for (int i = 0; i < 10; ++i) {
      TIMED(cuGraphLaunch, program, stream);
      TIMED(cuStreamSynchronize, stream);
    }
    TIMED(cuGraphExecDestroy, program);
    TIMED(cuGraphDestroy, graph);
  }
  TIMED(cuMemFree, memory);
  TIMED(cuStreamDestroy, stream);
}
