// SPDX-License-Identifier: Apache-2.0
// Programs that use memory of a graph before a launch has allocated it or after it is freed, and
// their repaired twins. graphs.def lists them.
#include "tests/wrong/memory/graphs.hpp"

#include <cuda.h>

#include <cstdio>
#include <string>

#include "tests/need.hpp"
#include "tests/wrong/memory/graph_scene.hpp"

namespace {

// The call is refused in the wrong twin.
void expect(CUresult result, bool success) {
  if ((result == CUDA_SUCCESS) != success) fprintf(stderr, "unexpected: %d\n", result);
}

// --- After the launch ---

void writes_after_the_free_node(Scene& scene, bool repaired) {
  Allocates graph(scene);
  graph.free_by_node(!repaired);
  graph.launch();
  scene.store(graph.memory);
}

void fills_after_the_free_node(Scene& scene, bool repaired) {
  Allocates graph(scene);
  graph.free_by_node(!repaired);
  graph.launch();
  expect(cuMemsetD8Async(graph.memory, 1, graph_bytes, scene.stream), repaired);
}

void copies_after_the_free_node(Scene& scene, bool repaired) {
  Allocates graph(scene), from(scene);
  graph.free_by_node(false);
  from.free_by_node(!repaired);
  graph.launch();
  from.launch();
  if (repaired) scene.fill(from.memory, scene.stream);
  expect(cuMemcpyDtoDAsync(graph.memory, from.memory + 8, 16, scene.stream), repaired);
}

void writes_a_value_after_the_free_node(Scene& scene, bool repaired) {
  Allocates graph(scene);
  graph.free_by_node(!repaired);
  graph.launch();
  expect(cuStreamWriteValue32(scene.stream, graph.memory, 1, 0), repaired);
}

namespace {

// Scene::add_store or Scene::add_fill.
using Add = CUgraphNode (Scene::*)(CUgraph, CUgraphNode, CUdeviceptr) const;

void use_in_a_later_graph(Scene& scene, bool repaired, Add add) {
  Allocates graph(scene);
  graph.free_by_node(!repaired);
  graph.launch();
  Graph later(scene);
  (scene.*add)(later.graph, nullptr, graph.memory);
  later.launch();
}

void use_after_the_free_node(Scene& scene, bool repaired, Add add) {
  Allocates graph(scene);
  if (repaired)
    graph.add_free((scene.*add)(graph.graph, graph.allocated, graph.memory));
  else
    (scene.*add)(graph.graph, graph.add_free(graph.allocated), graph.memory);
  graph.launch();
  graph.launch();
}

}  // namespace

void writes_in_a_later_graph(Scene& scene, bool repaired) {
  use_in_a_later_graph(scene, repaired, &Scene::add_store);
}

void fills_in_a_later_graph(Scene& scene, bool repaired) {
  use_in_a_later_graph(scene, repaired, &Scene::add_fill);
}

// --- In the graph ---

void writes_in_the_graph_after_its_free_node(Scene& scene, bool repaired) {
  use_after_the_free_node(scene, repaired, &Scene::add_store);
}

void fills_in_the_graph_after_its_free_node(Scene& scene, bool repaired) {
  use_after_the_free_node(scene, repaired, &Scene::add_fill);
}

void fills_in_a_child_graph_after_the_free_node(Scene& scene, bool repaired) {
  Allocates graph(scene);
  Graph inner(scene);
  scene.add_fill(inner.graph, nullptr, graph.memory);
  const CUgraphNode before = repaired ? graph.allocated : graph.add_free(graph.allocated);
  CUgraphNode child = nullptr;
  NEED(cuGraphAddChildGraphNode(&child, graph.graph, &before, 1, inner.graph));
  if (repaired) graph.add_free(child);
  graph.launch();
}

void fills_in_a_conditional_body_after_the_free_node(Scene& scene, bool repaired) {
  Allocates graph(scene);
  const CUgraphNode before = repaired ? graph.allocated : graph.add_free(graph.allocated);
  CUgraphNodeParams p = {};
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional.type = CU_GRAPH_COND_TYPE_IF;
  p.conditional.size = 1;
  p.conditional.ctx = scene.context;
  NEED(cuGraphConditionalHandleCreate(&p.conditional.handle, graph.graph, scene.context, 1,
                                      CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNode node = nullptr;
  NEED(cuGraphAddNode(&node, graph.graph, &before, nullptr, 1, &p));
  scene.add_fill(p.conditional.phGraph_out[0], nullptr, graph.memory);
  if (repaired) graph.add_free(node);
  graph.launch();
}

// --- Freed by others ---

// Its graph is gone by then.
void writes_after_a_free_in_the_stream(Scene& scene, bool repaired) {
  Allocates graph(scene);
  const CUdeviceptr memory = graph.memory;
  graph.launch();
  graph.destroy();
  if (!repaired) NEED(cuMemFreeAsync(memory, scene.stream));
  scene.store(memory);
  if (repaired) NEED(cuMemFreeAsync(memory, scene.stream));
}

// The call that frees it waits for the work that uses it.
void fills_after_a_free_by_the_host(Scene& scene, bool repaired) {
  Allocates graph(scene);
  graph.launch();
  scene.store(graph.memory);
  if (!repaired) NEED(cuMemFree(graph.memory));
  expect(cuMemsetD8Async(graph.memory, 1, graph_bytes, scene.stream), repaired);
  if (!repaired) return;
  NEED(cuMemFree(graph.memory));
  graph.launch();
  scene.store(graph.memory);
  NEED(cuMemFree(graph.memory));
}

void writes_after_another_graph_has_freed(Scene& scene, bool repaired) {
  Allocates graph(scene);
  Graph frees(scene);
  const CUgraphNode before =
      repaired ? scene.add_store(frees.graph, nullptr, graph.memory) : nullptr;
  CUgraphNode node = nullptr;
  NEED(cuGraphAddMemFreeNode(&node, frees.graph, &before, before ? 1 : 0, graph.memory));
  for (int round = 0; round < 2; ++round) {
    graph.launch();
    frees.launch();
  }
  if (!repaired) scene.store(graph.memory);
}

void writes_before_any_launch(Scene& scene, bool repaired) {
  Allocates graph(scene);
  if (repaired) {
    graph.free_by_node(false);
    graph.launch();
  }
  scene.store(graph.memory);
}

// --- In no order ---

void fills_in_the_graph_beside_its_free_node(Scene& scene, bool repaired) {
  Allocates graph(scene);
  const CUgraphNode fill = scene.add_fill(graph.graph, graph.allocated, graph.memory);
  graph.add_free(repaired ? fill : graph.allocated);
  graph.launch();
}

void fills_beside_the_free(Scene& scene, bool repaired) {
  Allocates graph(scene);
  graph.launch();
  scene.order(scene.stream, scene.other);
  scene.fill(graph.memory, scene.other);
  if (repaired) scene.order(scene.other, scene.stream);
  NEED(cuMemFreeAsync(graph.memory, scene.stream));
}

// A launch frees what an earlier one has left, and allocates it again.
void fills_beside_the_next_launch(Scene& scene, bool repaired) {
  Allocates graph(scene);
  graph.free_by_node(false);
  for (int round = 0; round < 2; ++round) {
    graph.launch(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    scene.order(scene.stream, scene.other);
    scene.fill(graph.memory, scene.other);
    if (repaired || round == 1) scene.order(scene.other, scene.stream);
  }
}

// --- Freed again ---

void frees_twice(Scene& scene, bool repaired) {
  Allocates graph(scene);
  graph.launch();
  NEED(cuMemFreeAsync(graph.memory, scene.stream));
  if (!repaired) expect(cuMemFreeAsync(graph.memory, scene.stream), false);
}

void frees_what_the_graph_frees(Scene& scene, bool repaired) {
  Allocates graph(scene);
  if (!repaired) graph.add_free(graph.allocated);
  graph.launch();
  NEED(cuStreamSynchronize(scene.stream));
  expect(cuMemFree(graph.memory), repaired);
}

}  // namespace

bool run_graphs(const std::string& name, bool repaired) {
  void (*run)(Scene&, bool) = nullptr;
#define GRAPHS(each, report) \
  if (name == #each) run = each;
#include "tests/wrong/memory/graphs.def"
#undef GRAPHS
  if (!run) return false;
  Scene scene;
  run(scene, repaired);
  return true;
}
