// SPDX-License-Identifier: Apache-2.0
// A context with two streams, graphs, and graphs that allocate memory, for programs that use such
// memory when it is not there.
#pragma once

#include <cuda.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/need.hpp"
#include "tests/wrong/ptx_module.hpp"

inline constexpr size_t graph_bytes = 4096;

// The wrong twins may break their context, in which nothing can be freed any more: it ends with it.
class Scene {
 public:
  Scene() {
    NEED(cuInit(0));
    NEED(cuCtxCreate(&context, nullptr, 0, 0));
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    NEED(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    NEED(cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING));
    store_ = store_kernel();
  }
  ~Scene() {
    const bool works = cuCtxSynchronize() == CUDA_SUCCESS;
    for (; works && !ends_.empty(); ends_.pop_back()) ends_.back()();
    NEED(cuCtxDestroy(context));
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void at_end(std::function<void()> end) { ends_.push_back(std::move(end)); }

  void store(CUdeviceptr to) const {
    void* parameters[] = {&to};
    NEED(cuLaunchKernel(store_, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  }
  CUgraphNode add_store(CUgraph graph, CUgraphNode after, CUdeviceptr to) const {
    void* parameters[] = {&to};
    CUDA_KERNEL_NODE_PARAMS kernel = {};
    kernel.func = store_;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = parameters;
    CUgraphNode node = nullptr;
    NEED(cuGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &kernel));
    return node;
  }
  CUgraphNode add_fill(CUgraph graph, CUgraphNode after, CUdeviceptr to) const {
    const CUDA_MEMSET_NODE_PARAMS fill = {to, 0, 1, 1, graph_bytes, 1};
    CUgraphNode node = nullptr;
    NEED(cuGraphAddMemsetNode(&node, graph, &after, after ? 1 : 0, &fill, context));
    return node;
  }
  void fill(CUdeviceptr to, CUstream in) const { NEED(cuMemsetD8Async(to, 1, graph_bytes, in)); }
  void order(CUstream earlier, CUstream later) const {
    NEED(cuEventRecord(event_, earlier));
    NEED(cuStreamWaitEvent(later, event_, 0));
  }

  CUcontext context = nullptr;
  CUstream stream = nullptr, other = nullptr;

 private:
  CUevent event_ = nullptr;
  CUfunction store_ = nullptr;
  std::vector<std::function<void()>> ends_;
};

// It is destroyed at the scene's end, or before.
class Graph {
 public:
  explicit Graph(Scene& scene) : scene(scene) {
    NEED(cuGraphCreate(&graph, 0));
    made_->graph = graph;
    scene.at_end([made = made_] { made->destroy(); });
  }
  void launch(unsigned long long flags = 0) {
    if (!made_->exec) NEED(cuGraphInstantiate(&made_->exec, graph, flags));
    NEED(cuGraphLaunch(made_->exec, scene.stream));
  }
  void destroy() { made_->destroy(); }

  Scene& scene;
  CUgraph graph = nullptr;

 private:
  struct Made {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    void destroy() {
      if (exec) NEED(cuGraphExecDestroy(std::exchange(exec, nullptr)));
      if (graph) NEED(cuGraphDestroy(std::exchange(graph, nullptr)));
    }
  };
  const std::shared_ptr<Made> made_ = std::make_shared<Made>();
};

// A graph that allocates memory.
class Allocates : public Graph {
 public:
  explicit Allocates(Scene& scene) : Graph(scene) {
    CUDA_MEM_ALLOC_NODE_PARAMS p = {};
    p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    p.bytesize = graph_bytes;
    NEED(cuGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &p));
    memory = p.dptr;
  }
  CUgraphNode add_free(CUgraphNode after) {
    CUgraphNode node = nullptr;
    NEED(cuGraphAddMemFreeNode(&node, graph, &after, 1, memory));
    return node;
  }
  // Frees it by a node, or later in the stream.
  void free_by_node(bool by_node) {
    if (by_node)
      add_free(allocated);
    else
      scene.at_end(
          [this_stream = scene.stream, own = memory] { NEED(cuMemFreeAsync(own, this_stream)); });
  }

  CUgraphNode allocated = nullptr;
  CUdeviceptr memory = 0;
};
