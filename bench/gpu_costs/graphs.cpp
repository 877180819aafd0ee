// SPDX-License-Identifier: Apache-2.0
// Graphs, by the number of their nodes, and calls that a stream captures.
#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

CUDA_KERNEL_NODE_PARAMS node_of(CUfunction function) {
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = function;
  node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = 32;
  node.blockDimY = node.blockDimZ = 1;
  return node;
}

CUgraph chain(Costs& costs, const Kernels& kernels, int count) {
  CUgraph graph = nullptr;
  costs.timed({"cuGraphCreate", ""}, 1, [&] { return cuGraphCreate(&graph, 0); });
  const CUDA_KERNEL_NODE_PARAMS parameters = node_of(kernels.nothing);
  CUgraphNode last = nullptr;
  for (int i = 0; i < count; ++i) {
    CUgraphNode node = nullptr;
    costs.timed({"cuGraphAddKernelNode", ""}, 1, [&] {
      return cuGraphAddKernelNode(&node, graph, last ? &last : nullptr, last ? 1 : 0, &parameters);
    });
    last = node;
  }
  return graph;
}

// As above, of kernels with an argument, which a stream has captured.
void measure_captured(Costs& costs, const Kernels& kernels, CUstream stream, CUdeviceptr memory,
                      int count) {
  costs.repeat(8, .2, [&] {
    CUgraph graph = nullptr;
    CUgraphExec program = nullptr;
    CUdeviceptr to = memory;
    void* arguments[] = {&to};
    NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < count; ++i, to += 4)
      costs.timed({"cuLaunchKernel", "captured"}, 1, [&] {
        return cuLaunchKernel(kernels.one, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
      });
    costs.timed({"cuStreamEndCapture", "", "node"}, count,
                [&] { return cuStreamEndCapture(stream, &graph); });
    costs.timed({"cuGraphInstantiate", "", "node"}, count,
                [&] { return cuGraphInstantiate(&program, graph, 0); });
    for (int i = 0; i < 8; ++i) {
      costs.timed({"cuGraphLaunch", i ? "waited" : "not-uploaded", "node"}, count,
                  [&] { return cuGraphLaunch(program, stream); });
      const double begin = now_ns();
      cuStreamSynchronize(stream);
      costs.add({"cuGraphLaunch", "", "node", "wait"}, count, now_ns() - begin);
    }
    costs.timed({"cuGraphExecDestroy", "", "node"}, count,
                [&] { return cuGraphExecDestroy(program); });
    costs.timed({"cuGraphDestroy", "", "node"}, count, [&] { return cuGraphDestroy(graph); });
  });
}

void measure_chain(Costs& costs, const Kernels& kernels, CUstream stream, int count) {
  const double at = count;
  costs.repeat(8, .3, [&] {
    CUgraph graph = chain(costs, kernels, count);
    CUgraphExec program = nullptr;
    costs.timed({"cuGraphInstantiate", "", "node"}, at,
                [&] { return cuGraphInstantiate(&program, graph, 0); });
    costs.timed({"cuGraphUpload", "", "node"}, at, [&] { return cuGraphUpload(program, stream); });
    cuStreamSynchronize(stream);
    for (int i = 0; i < 8; ++i) {
      costs.timed({"cuGraphLaunch", i ? "waited" : "first", "node"}, at,
                  [&] { return cuGraphLaunch(program, stream); });
      const double begin = now_ns();
      cuStreamSynchronize(stream);
      costs.add({"cuGraphLaunch", "", "node", "wait"}, at, now_ns() - begin);
    }
    for (int i = 0; i < 8; ++i)
      costs.timed({"cuGraphLaunch", i ? "pending" : "idle", "node"}, at,
                  [&] { return cuGraphLaunch(program, stream); });
    cuStreamSynchronize(stream);
    CUgraphExecUpdateResultInfo answer{};
    costs.timed({"cuGraphExecUpdate", "", "node"}, at,
                [&] { return cuGraphExecUpdate(program, graph, &answer); });
    costs.timed({"cuGraphExecDestroy", "", "node"}, at,
                [&] { return cuGraphExecDestroy(program); });
    // Launched without having been uploaded.
    NEED(cuGraphInstantiate(&program, graph, 0));
    costs.timed({"cuGraphLaunch", "not-uploaded", "node"}, at,
                [&] { return cuGraphLaunch(program, stream); });
    cuStreamSynchronize(stream);
    cuGraphExecDestroy(program);
    costs.timed({"cuGraphDestroy", "", "node"}, at, [&] { return cuGraphDestroy(graph); });
  });
}

void capture(Costs& costs, const Kernels& kernels, CUstream stream) {
  CUdeviceptr memory = 0;
  void* pinned = nullptr;
  CUevent event = nullptr;
  NEED(cuMemAlloc(&memory, 1 << 20));
  NEED(cuMemAllocHost(&pinned, 1 << 20));
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CUstream other = nullptr;
  NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  for (const int count : {1, 10, 100})
    costs.repeat(10, .2, [&] {
      CUgraph graph = nullptr;
      costs.timed({"cuStreamBeginCapture", ""}, 1,
                  [&] { return cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED); });
      for (int i = 0; i < count; ++i) {
        costs.timed({"cuLaunchKernel", "captured"}, 1,
                    [&] { return launch(kernels.nothing, stream); });
        costs.timed({"cuMemcpyHtoDAsync", "captured"}, 1,
                    [&] { return cuMemcpyHtoDAsync(memory, pinned, 4096, stream); });
        costs.timed({"cuMemsetD32Async", "captured"}, 1,
                    [&] { return cuMemsetD32Async(memory, 1, 1024, stream); });
      }
      costs.timed({"cuEventRecord", "captured"}, 1, [&] { return cuEventRecord(event, stream); });
      costs.timed({"cuStreamWaitEvent", "captured"}, 1,
                  [&] { return cuStreamWaitEvent(other, event, 0); });
      NEED(launch(kernels.nothing, other));
      NEED(cuEventRecord(event, other));
      NEED(cuStreamWaitEvent(stream, event, 0));
      costs.timed({"cuStreamEndCapture", "", "node"}, 3.0 * count,
                  [&] { return cuStreamEndCapture(stream, &graph); });
      cuGraphDestroy(graph);
    });
  cuStreamDestroy(other);
  cuEventDestroy(event);
  cuMemFreeHost(pinned);
  cuMemFree(memory);
}

}  // namespace

void measure_graphs(Costs& costs) {
  const Kernels kernels;
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (const int count : {1, 2, 5, 10, 20, 50, 100, 200, 1000})
    measure_chain(costs, kernels, stream, count);
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, 1 << 20));
  for (const int count : {1, 2, 5, 10, 20, 50, 100, 200})
    measure_captured(costs, kernels, stream, memory, count);
  NEED(cuMemFree(memory));
  capture(costs, kernels, stream);
  cuStreamDestroy(stream);
}

}  // namespace cuvette::bench
