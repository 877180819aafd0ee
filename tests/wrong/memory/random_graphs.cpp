// SPDX-License-Identifier: Apache-2.0
// A program drawn from a seed that launches, frees and uses memory of graphs in many ways. A model
// knows of each memory whether it is there; the last use may be of one that is not.
#include <array>
#include <memory>
#include <random>

#include "tests/wrong/memory/graph_scene.hpp"
#include "tests/wrong/memory/graphs.hpp"

namespace {

// A graph that allocates, and what the model knows of its memory.
struct Memory {
  std::unique_ptr<Allocates> graph;
  CUdeviceptr address = 0;
  bool frees_itself = false, auto_free = false;
  bool is_there = false;
  bool graph_is_gone = false;
};

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    for (Memory& one : memories_) {
      one.graph = std::make_unique<Allocates>(scene_);
      one.address = one.graph->memory;
      one.frees_itself = draw(3) == 0;
      one.auto_free = !one.frees_itself && draw(3) == 0;
      CUgraphNode last = one.graph->allocated;
      if (draw(2)) last = scene_.add_fill(one.graph->graph, last, one.address);
      if (draw(2)) last = scene_.add_store(one.graph->graph, last, one.address);
      if (one.frees_itself) one.graph->add_free(last);
    }
  }

  // Returns whether it has made a mistake.
  bool run() {
    const bool errs = draw(2) != 0;
    for (int step = 0; step < 40; ++step) {
      if (draw(4) == 0) swap_streams();
      Memory& one = memories_[draw(memories_.size())];
      if (draw(2) == 0)
        change(one);
      else if (one.is_there)
        use(one.address);
    }
    bool mistaken = false;
    for (Memory& one : memories_)
      if (errs && !one.is_there && !one.graph_is_gone && !mistaken) {
        use(one.address);
        mistaken = true;
      }
    if (cuCtxSynchronize() == CUDA_SUCCESS)
      for (Memory& one : memories_)
        if (one.is_there) NEED(cuMemFree(one.address));
    return mistaken;
  }

 private:
  size_t draw(size_t count) { return random_() % count; }

  // What comes is ordered after what has been submitted, in another stream.
  void swap_streams() {
    scene_.order(scene_.stream, scene_.other);
    std::swap(scene_.stream, scene_.other);
  }

  void change(Memory& one) {
    if (one.graph_is_gone && !one.is_there) return;
    const bool may_launch = !one.graph_is_gone && (!one.is_there || one.auto_free);
    if (!one.is_there || (may_launch && draw(2))) {
      if (!may_launch) return;
      one.graph->launch(one.auto_free ? CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH : 0);
      one.is_there = !one.frees_itself;
      return;
    }
    switch (draw(5)) {
      case 0:
        NEED(cuMemFree(one.address));
        break;
      case 1:
        NEED(cuMemFreeAsync(one.address, scene_.stream));
        break;
      case 2: {
        Graph frees(scene_);
        const CUgraphNode before =
            draw(2) ? scene_.add_store(frees.graph, nullptr, one.address) : nullptr;
        CUgraphNode node = nullptr;
        NEED(cuGraphAddMemFreeNode(&node, frees.graph, &before, before ? 1 : 0, one.address));
        frees.launch();
        break;
      }
      case 3:
        NEED(cuDeviceGraphMemTrim(0));
        return;
      default:
        if (one.graph_is_gone) return;
        one.graph->destroy();
        one.graph_is_gone = true;
        return;
    }
    one.is_there = false;
  }

  void use(CUdeviceptr memory) {
    switch (draw(6)) {
      case 0:
        static_cast<void>(cuMemsetD8Async(memory, 2, graph_bytes, scene_.stream));
        return;
      case 1:
        static_cast<void>(cuMemcpyDtoDAsync(memory + 8, memory + 64, 16, scene_.stream));
        return;
      case 2:
        return scene_.store(memory);
      case 3:
        NEED(cuStreamWriteValue32(scene_.stream, memory + 4, 1, 0));
        return;
      default:
        break;
    }
    Graph graph(scene_), inner(scene_);
    const bool in_child = draw(2) != 0;
    const CUgraph in = in_child ? inner.graph : graph.graph;
    if (draw(2))
      scene_.add_store(in, nullptr, memory);
    else
      scene_.add_fill(in, nullptr, memory);
    CUgraphNode child = nullptr;
    if (in_child) NEED(cuGraphAddChildGraphNode(&child, graph.graph, nullptr, 0, inner.graph));
    graph.launch();
  }

  std::mt19937 random_;
  Scene scene_;
  std::array<Memory, 3> memories_;
};

}  // namespace

bool run_random_graphs(unsigned seed) { return RandomProgram(seed).run(); }
