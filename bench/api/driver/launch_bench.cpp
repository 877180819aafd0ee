// SPDX-License-Identifier: Apache-2.0
// Launches of an empty kernel: what a queued one costs, one that is waited for, and a graph of a
// hundred; and how many blocks of it fit. Floor: a call of a function through a pointer.
#include "bench/api/driver/scene.hpp"
#include "bench/floor.hpp"

namespace {

using namespace cuvette::bench;

void nothing() { benchmark::ClobberMemory(); }

double a_call() {
  return floor_ns([] {
    void (*volatile function)() = nothing;
    function();
  });
}

constexpr char empty_kernel[] =
    ".version 6.4\n.target sm_50\n.address_size 64\n"
    ".visible .entry none(.param .u64 a, .param .u32 b) { ret; }\n";

class Kernel {
 public:
  Kernel() {
    set_scene();
    NEED(cuModuleLoadData(&module_, empty_kernel));
    NEED(cuModuleGetFunction(&function_, module_, "none"));
  }
  ~Kernel() { cuModuleUnload(module_); }

  CUresult launch(CUstream stream) {
    return cuLaunchKernel(function_, 1, 1, 1, 32, 1, 1, 0, stream, values_, nullptr);
  }
  CUfunction function() const { return function_; }
  CUDA_KERNEL_NODE_PARAMS node() {
    CUDA_KERNEL_NODE_PARAMS parameters = {};
    parameters.func = function_;
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = 32;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = values_;
    return parameters;
  }

 private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr a_ = 1;
  unsigned b_ = 2;
  void* values_[2] = {&a_, &b_};
};

void BM_cuLaunchKernel_queued(benchmark::State& state) {
  Streams streams;
  Kernel kernel;
  NEED(kernel.launch(streams.a));
  unsigned since = 0;
  against_floor(state, a_call(), [&] {
    kernel.launch(streams.a);
    // Waits now and then, as programs do.
    if (++since % 1000 == 0) cuStreamSynchronize(streams.a);
  });
}
BENCHMARK(BM_cuLaunchKernel_queued)->UseRealTime();

// A library's kernel, as the runtime launches it. Floor: the launch of a function.
void BM_cuLaunchKernel_of_a_CUkernel_queued(benchmark::State& state) {
  Streams streams;
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  NEED(cuLibraryLoadData(&library, empty_kernel, nullptr, nullptr, 0, nullptr, nullptr, 0));
  NEED(cuLibraryGetKernel(&kernel, library, "none"));
  NEED(cuKernelGetFunction(&function, kernel));
  CUdeviceptr a = 1;
  unsigned b = 2;
  void* values[] = {&a, &b};
  const auto launch = [&](CUfunction launched) {
    return [&, launched, since = 0u]() mutable {
      cuLaunchKernel(launched, 1, 1, 1, 32, 1, 1, 0, streams.a, values, nullptr);
      if (++since % 1000 == 0) cuStreamSynchronize(streams.a);
    };
  };
  const double floor = floor_ns(launch(function));
  against_floor(state, floor, launch(reinterpret_cast<CUfunction>(kernel)));
  NEED(cuStreamSynchronize(streams.a));
  NEED(cuLibraryUnload(library));
}
BENCHMARK(BM_cuLaunchKernel_of_a_CUkernel_queued)->UseRealTime();

void BM_cuOccupancyMaxActiveBlocksPerMultiprocessor(benchmark::State& state) {
  const Kernel kernel;
  int blocks;
  against_floor(state, a_call(), [&] {
    cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function(), 128, 0);
  });
}
BENCHMARK(BM_cuOccupancyMaxActiveBlocksPerMultiprocessor);

void BM_cuLaunchKernel_and_synchronise(benchmark::State& state) {
  Streams streams;
  Kernel kernel;
  NEED(kernel.launch(streams.a));
  against_floor(state, a_call(), [&] {
    kernel.launch(streams.a);
    cuStreamSynchronize(streams.a);
  });
}
CUVETTE_BENCHMARK_ALSO_LOADED(BM_cuLaunchKernel_and_synchronise);

void BM_cuGraphLaunch_100_kernels_and_synchronise(benchmark::State& state) {
  Streams streams;
  Kernel kernel;
  CUgraph graph;
  CUgraphExec exec;
  NEED(cuGraphCreate(&graph, 0));
  CUgraphNode last = nullptr;
  const CUDA_KERNEL_NODE_PARAMS parameters = kernel.node();
  for (int i = 0; i < 100; ++i)
    NEED(cuGraphAddKernelNode(&last, graph, &last, i > 0 ? 1 : 0, &parameters));
  NEED(cuGraphInstantiateWithFlags(&exec, graph, 0));
  against_floor(state, a_call(), [&] {
    cuGraphLaunch(exec, streams.a);
    cuStreamSynchronize(streams.a);
  });
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
}
CUVETTE_BENCHMARK_ALSO_LOADED(BM_cuGraphLaunch_100_kernels_and_synchronise);

}  // namespace
