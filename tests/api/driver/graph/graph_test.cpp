// SPDX-License-Identifier: Apache-2.0
// Graphs as descriptions: nodes, edges, copies, and refused calls.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/api/driver/graph_scene.hpp"

extern "C" {
CUresult add_edges_v1(CUgraph, const CUgraphNode*, const CUgraphNode*,
                      size_t) __asm__("cuGraphAddDependencies");
CUresult remove_edges_v1(CUgraph, const CUgraphNode*, const CUgraphNode*,
                         size_t) __asm__("cuGraphRemoveDependencies");
CUresult edges_v1(CUgraph, CUgraphNode*, CUgraphNode*, size_t*) __asm__("cuGraphGetEdges");
CUresult before_v1(CUgraphNode, CUgraphNode*, size_t*) __asm__("cuGraphNodeGetDependencies");
CUresult after_v1(CUgraphNode, CUgraphNode*, size_t*) __asm__("cuGraphNodeGetDependentNodes");
}

namespace {

using Nodes = Graphs::Nodes;

Nodes before(CUgraphNode node) {
  CUgraphNode nodes[16];
  size_t count = 16;
  EXPECT_EQ(before_v1(node, nodes, &count), CUDA_SUCCESS);
  return {nodes, nodes + count};
}
Nodes after(CUgraphNode node) {
  CUgraphNode nodes[16];
  size_t count = 16;
  EXPECT_EQ(after_v1(node, nodes, &count), CUDA_SUCCESS);
  return {nodes, nodes + count};
}

TEST(cuGraphCreate, RefusesWhatMakesNoSense) {
  const Scene scene;
  CUgraph graph = nullptr;
  EXPECT_EQ(cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphCreate(&graph, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphCreate(&graph, 0));
  EXPECT_NE(graph, nullptr);
  OK(cuGraphDestroy(graph));
}

TEST(cuGraphDestroy, EndsGraphAndNodes) {
  Graphs g;
  const CUgraphNode node = g.empty();
  for (const CUgraph bad : {CUgraph{}, no_graph})
    EXPECT_EQ(cuGraphDestroy(bad), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphDestroy(g.graph));
  EXPECT_EQ(cuGraphDestroy(g.graph), CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeType type;
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_ERROR_INVALID_VALUE);
  size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(g.graph, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphDestroy, IsNotForACapturedOrAnInnerGraph) {
  Graphs g;
  CUgraph child;
  OK(cuGraphCreate(&child, 0));
  CUgraphNode node;
  OK(cuGraphAddChildGraphNode(&node, g.graph, nullptr, 0, child));
  CUgraph inner;
  OK(cuGraphChildGraphNodeGetGraph(node, &inner));
  EXPECT_NE(inner, child) << "it is a copy";
  EXPECT_EQ(cuGraphDestroy(inner), CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamBeginCaptureToGraph(g.stream, g.graph, nullptr, nullptr, 0,
                                 CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(cuGraphDestroy(g.graph), CUDA_ERROR_INVALID_VALUE);
  CUgraph same;
  OK(cuStreamEndCapture(g.stream, &same));
  OK(cuGraphDestroy(g.graph));
  size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(inner, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphGetNodes, TellsAsManyAsAreAskedFor) {
  Graphs g;
  const Nodes all = {g.empty(), g.empty(), g.empty()};
  size_t count = 0;
  OK(cuGraphGetNodes(g.graph, nullptr, &count));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(cuGraphGetNodes(g.graph, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  Nodes nodes(5, no_node);
  count = 2;
  OK(cuGraphGetNodes(g.graph, nodes.data(), &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(nodes, (Nodes{all[0], all[1], no_node, no_node, no_node}));
  count = 5;
  OK(cuGraphGetNodes(g.graph, nodes.data(), &count));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(nodes, (Nodes{all[0], all[1], all[2], nullptr, nullptr})) << "the rest is null";
  // Measured: an array without room is refused, however few there are.
  CUgraph none = nullptr;
  OK(cuGraphCreate(&none, 0));
  for (const CUgraph graph : {g.graph, none}) {
    count = 0;
    EXPECT_EQ(cuGraphGetNodes(graph, nodes.data(), &count), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphGetRootNodes(graph, nodes.data(), &count), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST(cuGraphGetRootNodes, TellsWhatComesAfterNothing) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty({a}), c = g.empty();
  (void)b;
  CUgraphNode nodes[3];
  size_t count = 3;
  OK(cuGraphGetRootNodes(g.graph, nodes, &count));
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(nodes[0], a);
  EXPECT_EQ(nodes[1], c);
  EXPECT_EQ(cuGraphGetRootNodes(no_graph, nodes, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphNodeGetDependencies, TellsBothWays) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty(), c = g.empty({a, b});
  EXPECT_EQ(before(c), (Nodes{a, b}));
  EXPECT_EQ(after(a), Nodes{c});
  EXPECT_TRUE(before(a).empty());
  size_t count = 0;
  OK(cuGraphNodeGetDependencies(c, nullptr, nullptr, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(before_v1(no_node, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(before_v1(c, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphNodeGetDependentNodes, TellsWhatComesAfter) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty({a}), c = g.empty({a});
  CUgraphNode nodes[2];
  CUgraphEdgeData edges[2];
  memset(edges, 0xff, sizeof edges);
  size_t count = 2;
  OK(cuGraphNodeGetDependentNodes(a, nodes, edges, &count));
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(nodes[0], b);
  EXPECT_EQ(nodes[1], c);
  for (const CUgraphEdgeData& edge : edges) EXPECT_EQ(edge.type + edge.from_port + edge.to_port, 0);
  EXPECT_EQ(after_v1(no_node, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphAddDependencies, AddsAllOrNone) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty(), c = g.empty();
  const CUgraphNode from[] = {a, b, a}, to[] = {b, c, b};
  EXPECT_EQ(add_edges_v1(g.graph, from, to, 3), CUDA_ERROR_INVALID_VALUE) << "one is there twice";
  EXPECT_TRUE(after(a).empty());
  OK(add_edges_v1(g.graph, from, to, 2));
  EXPECT_EQ(after(a), Nodes{b});
  EXPECT_EQ(after(b), Nodes{c});
  EXPECT_EQ(add_edges_v1(g.graph, from, to, 1), CUDA_ERROR_INVALID_VALUE) << "it is there already";
  EXPECT_EQ(add_edges_v1(g.graph, from, from, 1), CUDA_ERROR_INVALID_VALUE) << "with itself";
  EXPECT_EQ(add_edges_v1(g.graph, nullptr, to, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add_edges_v1(no_graph, from, to, 1), CUDA_ERROR_INVALID_VALUE);
  OK(add_edges_v1(g.graph, nullptr, nullptr, 0));

  CUgraph other;
  OK(cuGraphCreate(&other, 0));
  const CUgraphNode foreign = g.empty({}, other);
  EXPECT_EQ(add_edges_v1(g.graph, &a, &foreign, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add_edges_v1(other, &a, &c, 1), CUDA_ERROR_INVALID_VALUE);
}

// Only kernels take edges of other types.
TEST(cuGraphAddDependencies, TakesOrdinaryEdges) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty();
  CUgraphEdgeData edge = {};
  edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  EXPECT_EQ(cuGraphAddDependencies(g.graph, &a, &b, &edge, 1), CUDA_ERROR_INVALID_VALUE);
  edge = {};
  edge.reserved[4] = 1;
  EXPECT_EQ(cuGraphAddDependencies(g.graph, &a, &b, &edge, 1), CUDA_ERROR_INVALID_VALUE);
  edge = {};
  OK(cuGraphAddDependencies(g.graph, &a, &b, &edge, 1));
  edge.to_port = 1;
  EXPECT_EQ(cuGraphRemoveDependencies(g.graph, &a, &b, &edge, 1), CUDA_ERROR_INVALID_VALUE);
  edge = {};
  OK(cuGraphRemoveDependencies(g.graph, &a, &b, &edge, 1));
}

TEST(cuGraphRemoveDependencies, RemovesAllOrNone) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty({a}), c = g.empty({b});
  const CUgraphNode from[] = {a, b, a}, to[] = {b, c, c};
  EXPECT_EQ(remove_edges_v1(g.graph, from, to, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(after(a), Nodes{b});
  EXPECT_EQ(after(b), Nodes{c});
  OK(remove_edges_v1(g.graph, from, to, 2));
  EXPECT_TRUE(after(a).empty());
  EXPECT_TRUE(before(c).empty());
  EXPECT_EQ(remove_edges_v1(g.graph, from, to, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphGetEdges, TellsPairs) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty({a}), c = g.empty({a, b});
  size_t count = 0;
  OK(edges_v1(g.graph, nullptr, nullptr, &count));
  EXPECT_EQ(count, 3u);
  CUgraphNode from[4], to[4];
  CUgraphEdgeData data[4];
  count = 4;
  OK(cuGraphGetEdges(g.graph, from, to, data, &count));
  ASSERT_EQ(count, 3u);
  std::vector<std::pair<CUgraphNode, CUgraphNode>> edges;
  for (size_t i = 0; i < count; ++i) edges.emplace_back(from[i], to[i]);
  for (const auto& edge : {std::pair{a, b}, std::pair{a, c}, std::pair{b, c}})
    EXPECT_EQ(std::count(edges.begin(), edges.end(), edge), 1);
  EXPECT_EQ(from[3], nullptr);
  EXPECT_EQ(edges_v1(g.graph, from, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(edges_v1(g.graph, from, to, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphDestroyNode, TakesItsEdgesAlong) {
  Graphs g;
  const CUgraphNode a = g.empty(), b = g.empty({a}), c = g.empty({b});
  OK(cuGraphDestroyNode(b));
  EXPECT_TRUE(after(a).empty());
  EXPECT_TRUE(before(c).empty());
  EXPECT_EQ(g.count(), 2u);
  EXPECT_EQ(cuGraphDestroyNode(b), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroyNode(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphClone, CopiesNodesEdgesAndInnerGraphs) {
  Graphs g;
  CUgraph child;
  OK(cuGraphCreate(&child, 0));
  const CUgraphNode inside = g.fill(3, 33, {}, child);
  const CUgraphNode a = g.fill(1, 11);
  CUgraphNode b;
  OK(cuGraphAddChildGraphNode(&b, g.graph, &a, 1, child));
  CUgraph clone = nullptr;
  EXPECT_EQ(cuGraphClone(nullptr, g.graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphClone(&clone, no_graph), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphClone(&clone, g.graph));
  CUgraphNode copy_of_a, copy_of_b;
  OK(cuGraphNodeFindInClone(&copy_of_a, a, clone));
  OK(cuGraphNodeFindInClone(&copy_of_b, b, clone));
  EXPECT_EQ(before(copy_of_b), Nodes{copy_of_a});
  CUDA_MEMSET_NODE_PARAMS parameters = {};
  OK(cuGraphMemsetNodeGetParams(copy_of_a, &parameters));
  EXPECT_EQ(parameters.value, 11u);
  // Changing the original does not change the copy.
  const CUDA_MEMSET_NODE_PARAMS changed = g.word(1, 12);
  OK(cuGraphMemsetNodeSetParams(a, &changed));
  OK(cuGraphDestroy(child));
  OK(cuGraphDestroy(g.graph));
  CUgraphExec exec;
  OK(cuGraphInstantiate(&exec, clone, 0));
  g.run(exec);
  EXPECT_EQ(g.read(1), 11u);
  EXPECT_EQ(g.read(3), 33u);
  (void)inside;
}

TEST(cuGraphNodeFindInClone, KnowsCopiesOnly) {
  Graphs g;
  const CUgraphNode a = g.empty();
  CUgraph clone;
  OK(cuGraphClone(&clone, g.graph));
  CUgraphNode copy, found;
  OK(cuGraphNodeFindInClone(&copy, a, clone));
  const CUgraphNode later = g.empty();
  EXPECT_EQ(cuGraphNodeFindInClone(&found, later, clone), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeFindInClone(&found, a, g.graph), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeFindInClone(nullptr, a, clone), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphDestroyNode(copy));
  EXPECT_EQ(cuGraphNodeFindInClone(&found, a, clone), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphDebugDotPrint, DrawsNodesEdgesAndClusters) {
  Graphs g;
  CUgraph child;
  OK(cuGraphCreate(&child, 0));
  g.note(1, {}, child);
  const CUgraphNode a = g.fill(1, 77), b = g.copy(1, 2, {a});
  CUgraphNode c;
  OK(cuGraphAddChildGraphNode(&c, g.graph, &b, 1, child));
  const std::string path = testing::TempDir() + "/graph.dot";
  OK(cuGraphDebugDotPrint(g.graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto count = [&](const std::string& what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("digraph"), 1u);
  EXPECT_EQ(count("subgraph"), 2u);
  EXPECT_EQ(count(" -> "), 2u);
  EXPECT_EQ(count("label=\"") - count("subgraph"), 4u) << "a label for each node";
  EXPECT_EQ(count("value 77"), 1u);
  EXPECT_EQ(count("{"), count("}"));
  std::filesystem::remove(path);
  EXPECT_EQ(cuGraphDebugDotPrint(g.graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDebugDotPrint(no_graph, path.c_str(), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDebugDotPrint(g.graph, path.c_str(), 1u << 20), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDebugDotPrint(g.graph, "/no/such/folder/graph.dot", 0),
            CUDA_ERROR_OPERATING_SYSTEM);
}

TEST(cuStreamBeginCaptureToGraph, GoesOnAfterGivenNodes) {
  Graphs g;
  const CUgraphNode a = g.note(1), b = g.note(2);
  const CUgraphNode foreign = [&] {
    CUgraph other;
    EXPECT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
    return g.empty({}, other);
  }();
  const auto begin = [&](CUgraph graph, const CUgraphNode* after, size_t count) {
    return cuStreamBeginCaptureToGraph(g.stream, graph, after, nullptr, count,
                                       CU_STREAM_CAPTURE_MODE_GLOBAL);
  };
  EXPECT_EQ(begin(no_graph, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(begin(g.graph, &foreign, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(begin(g.graph, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  OK(begin(g.graph, &b, 1));
  OK(cuMemsetD32Async(g.memory, 5, 1, g.stream));
  CUgraph same = nullptr;
  OK(cuStreamEndCapture(g.stream, &same));
  EXPECT_EQ(same, g.graph);
  EXPECT_EQ(g.count(), 3u);
  EXPECT_EQ(after(b).size(), 1u);
  EXPECT_TRUE(after(a).empty());
}

}  // namespace
