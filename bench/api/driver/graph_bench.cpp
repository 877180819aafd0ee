// SPDX-License-Identifier: Apache-2.0
// Graphs: the cost of a launch, including the work of its nodes. Floor: the same words written by a
// plain loop.
#include <vector>

#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

constexpr size_t words = 100;

double plain_stores() {
  std::vector<unsigned> memory(words);
  volatile unsigned* to = memory.data();
  return floor_ns([&] {
    for (size_t i = 0; i < words; ++i) to[i] = 1;
    benchmark::ClobberMemory();
  });
}

// Makes a graph of `words` fills of 4 bytes: a chain, or all independent of each other.
class Fills {
 public:
  Fills(CUdeviceptr memory, bool chained) {
    NEED(cuGraphCreate(&graph_, 0));
    CUcontext context;
    NEED(cuCtxGetCurrent(&context));
    CUgraphNode last = nullptr;
    for (size_t i = 0; i < words; ++i) {
      const CUDA_MEMSET_NODE_PARAMS parameters = {memory + 4 * i, 0, 1, 4, 1, 1};
      NEED(cuGraphAddMemsetNode(&last, graph_, &last, chained && i > 0 ? 1 : 0, &parameters,
                                context));
    }
    NEED(cuGraphInstantiateWithFlags(&exec_, graph_, 0));
  }
  ~Fills() {
    cuGraphExecDestroy(exec_);
    cuGraphDestroy(graph_);
  }
  CUgraphExec exec() const { return exec_; }
  CUgraph graph() const { return graph_; }

 private:
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
};

void BM_cuGraphLaunch_chain_and_synchronise(benchmark::State& state) {
  Streams streams;
  Buffer buffer(4 * words);
  Fills fills(buffer.address, true);
  against_floor(state, plain_stores(), [&] {
    cuGraphLaunch(fills.exec(), streams.a);
    cuStreamSynchronize(streams.a);
  });
}
BENCHMARK(BM_cuGraphLaunch_chain_and_synchronise)->UseRealTime();

// The same work, submitted to the stream.
void BM_chain_without_graph_and_synchronise(benchmark::State& state) {
  Streams streams;
  Buffer buffer(4 * words);
  against_floor(state, plain_stores(), [&] {
    for (size_t i = 0; i < words; ++i) cuMemsetD32Async(buffer.address + 4 * i, 1, 1, streams.a);
    cuStreamSynchronize(streams.a);
  });
}
BENCHMARK(BM_chain_without_graph_and_synchronise)->UseRealTime();

void BM_cuGraphLaunch_wide_and_synchronise(benchmark::State& state) {
  Streams streams;
  Buffer buffer(4 * words);
  Fills fills(buffer.address, false);
  against_floor(state, plain_stores(), [&] {
    cuGraphLaunch(fills.exec(), streams.a);
    cuStreamSynchronize(streams.a);
  });
}
CUVETTE_BENCHMARK_ALSO_LOADED(BM_cuGraphLaunch_wide_and_synchronise);

void BM_cuGraphInstantiate_chain(benchmark::State& state) {
  Streams streams;
  Buffer buffer(4 * words);
  Fills fills(buffer.address, true);
  for (auto _ : state) {
    CUgraphExec exec;
    NEED(cuGraphInstantiateWithFlags(&exec, fills.graph(), 0));
    cuGraphExecDestroy(exec);
  }
}
BENCHMARK(BM_cuGraphInstantiate_chain);

}  // namespace
