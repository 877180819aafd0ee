// SPDX-License-Identifier: Apache-2.0
// Shared by tests of graphs: a graph, nodes that log when they run, and the versions of functions
// that <cuda.h> does not name.
#pragma once

#include <cuda.h>

#include <memory>
#include <vector>

#include "tests/api/driver/gate.hpp"

class Graphs {
 public:
  Graphs() { EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS); }

  using Nodes = std::vector<CUgraphNode>;

  CUgraphNode empty(const Nodes& after = {}, CUgraph in = nullptr) {
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddEmptyNode(&node, in ? in : graph, after.data(), after.size()),
              CUDA_SUCCESS);
    return node;
  }
  // Sets word `index` of `memory`.
  CUDA_MEMSET_NODE_PARAMS word(size_t index, unsigned value) const {
    return {memory + 4 * index, 0, value, 4, 1, 1};
  }
  CUgraphNode fill(size_t index, unsigned value, const Nodes& after = {}, CUgraph in = nullptr) {
    CUgraphNode node = nullptr;
    const CUDA_MEMSET_NODE_PARAMS parameters = word(index, value);
    EXPECT_EQ(cuGraphAddMemsetNode(&node, in ? in : graph, after.data(), after.size(), &parameters,
                                   scene.context),
              CUDA_SUCCESS);
    return node;
  }
  // Copies one word from one place in `memory` to another.
  CUDA_MEMCPY3D words(size_t from, size_t to) const {
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = memory + 4 * from;
    copy.dstDevice = memory + 4 * to;
    copy.WidthInBytes = 4;
    copy.Height = copy.Depth = 1;
    return copy;
  }
  CUgraphNode copy(size_t from, size_t to, const Nodes& after = {}, CUgraph in = nullptr) {
    CUgraphNode node = nullptr;
    const CUDA_MEMCPY3D parameters = words(from, to);
    EXPECT_EQ(cuGraphAddMemcpyNode(&node, in ? in : graph, after.data(), after.size(), &parameters,
                                   scene.context),
              CUDA_SUCCESS);
    return node;
  }
  // A host node that appends `what` to the log.
  CUgraphNode note(int what, const Nodes& after = {}, CUgraph in = nullptr) {
    CUgraphNode node = nullptr;
    const CUDA_HOST_NODE_PARAMS parameters = noting(what);
    EXPECT_EQ(cuGraphAddHostNode(&node, in ? in : graph, after.data(), after.size(), &parameters),
              CUDA_SUCCESS);
    return node;
  }
  CUDA_HOST_NODE_PARAMS noting(int what) {
    notes_.push_back(std::make_unique<Note>(Note{this, what}));
    return {write, notes_.back().get()};
  }

  CUgraphExec exec(unsigned long long flags = 0) {
    CUgraphExec made = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&made, graph, flags), CUDA_SUCCESS);
    return made;
  }
  // Launches and waits.
  void run(CUgraphExec what) const {
    EXPECT_EQ(cuGraphLaunch(what, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  }
  unsigned read(size_t index) const {
    unsigned value = 0;
    EXPECT_EQ(cuMemcpyDtoH(&value, memory + 4 * index, 4), CUDA_SUCCESS);
    return value;
  }

  size_t count() const {
    size_t number = 0;
    EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &number), CUDA_SUCCESS);
    return number;
  }

  const Scene scene;
  const CUstream stream = new_stream(), other = new_stream();
  const CUdeviceptr memory = new_memory(4096);
  CUgraph graph = nullptr;
  Log log;

 private:
  struct Note {
    Graphs* graphs;
    int what;
  };
  static void write(void* data) {
    auto* note = static_cast<Note*>(data);
    note->graphs->log.append(note->what);
  }
  std::vector<std::unique_ptr<Note>> notes_;
};

inline const CUgraph no_graph = reinterpret_cast<CUgraph>(0x123450);
inline const CUgraphNode no_node = reinterpret_cast<CUgraphNode>(0x123450);
inline const CUgraphExec no_exec = reinterpret_cast<CUgraphExec>(0x123450);
