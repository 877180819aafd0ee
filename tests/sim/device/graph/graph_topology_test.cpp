// SPDX-License-Identifier: Apache-2.0
// The flat order of a graph's steps: every edge leads forwards, child graphs lie between their
// ends, and cycles are found.
#include "sim/device/graph/graph_topology.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "sim/device/graph/graph.hpp"
#include "sim/device/machine/machine.hpp"

namespace cuvette::device {
namespace {

class TopologyTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Machine::start().ok()); }

  static Ref<GraphNode> add(Graph& graph, const std::vector<Ref<GraphNode>>& after,
                            NodeType type = NodeType::empty, Work work = {}) {
    Dependencies dependencies;
    for (const Ref<GraphNode>& node : after) dependencies.push_back({node, {}});
    MutexLock lock(graph_mutex);
    auto node = graph.add(type, std::move(work), dependencies);
    EXPECT_TRUE(node.ok());
    return std::move(node).value();
  }
};

// Compares the counts that the topology reports with its edges.
void expect_consistent(const Topology& topology) {
  const auto& steps = topology.steps();
  std::vector<uint32_t> before(steps.size());
  uint32_t roots = 0, sinks = 0;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    for (const uint32_t next : topology.after(steps[i])) {
      ASSERT_LT(i, next) << "an edge goes backwards";
      ++before[next];
    }
    if (topology.after(steps[i]).empty()) ++sinks;
  }
  for (uint32_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(before[i], steps[i].before);
    if (before[i] == 0) {
      EXPECT_EQ(i, roots) << "roots come first";
      ++roots;
    }
  }
  EXPECT_EQ(topology.roots(), roots);
  EXPECT_EQ(topology.sinks(), sinks);
}

TEST_F(TopologyTest, OrdersRandomGraphs) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto graph = make_ref<Graph>();
    std::vector<Ref<GraphNode>> nodes;
    for (int i = 0; i < 50; ++i) {
      std::vector<Ref<GraphNode>> after;
      for (const Ref<GraphNode>& node : nodes)
        if (random() % 10 < seed % 10) after.push_back(node);
      nodes.push_back(add(*graph, after));
    }
    GraphNode* culprit = nullptr;
    const auto topology = Topology::of(*graph, &culprit);
    ASSERT_TRUE(topology.ok());
    EXPECT_EQ(culprit, nullptr);
    EXPECT_EQ(topology.value()->steps().size(), nodes.size());
    expect_consistent(*topology.value());
    // Each edge of the graph is obeyed.
    std::map<const GraphNode*, size_t> place;
    for (size_t i = 0; i < nodes.size(); ++i) place[topology.value()->steps()[i].node] = i;
    for (const Ref<GraphNode>& node : nodes)
      for (const NodeEdge& edge : node->after()) EXPECT_LT(place[node.get()], place[edge.node]);
  }
}

TEST_F(TopologyTest, LaysChildGraphsFlat) {
  const auto graph = make_ref<Graph>(), child = make_ref<Graph>();
  const auto x = add(*child, {}), y = add(*child, {}), z = add(*child, {x});
  const auto before = add(*graph, {});
  const auto node = add(*graph, {before}, NodeType::child, ChildWork{child});
  const auto after = add(*graph, {node});
  const auto topology = Topology::of(*graph, nullptr);
  ASSERT_TRUE(topology.ok());
  expect_consistent(*topology.value());
  const auto& steps = topology.value()->steps();
  ASSERT_EQ(steps.size(), 7u) << "the child's three, its beginning and end, and two around it";
  EXPECT_EQ(steps.front().node, before.get());
  EXPECT_EQ(steps[1].node, nullptr);
  EXPECT_EQ(steps[5].node, nullptr);
  EXPECT_EQ(steps.back().node, after.get());
  EXPECT_EQ(topology.value()->roots(), 1u);
  EXPECT_EQ(topology.value()->sinks(), 1u);
}

TEST_F(TopologyTest, FindsCirclesAlsoInside) {
  const auto graph = make_ref<Graph>(), child = make_ref<Graph>();
  const auto x = add(*child, {}), y = add(*child, {x}), z = add(*child, {y});
  {
    MutexLock lock(graph_mutex);
    ASSERT_TRUE(child->add_edge(*z, *y, {}).ok());
  }
  add(*graph, {}, NodeType::child, ChildWork{child});
  GraphNode* culprit = nullptr;
  const auto topology = Topology::of(*graph, &culprit);
  EXPECT_FALSE(topology.ok());
  EXPECT_EQ(topology.error(), Error::invalid_value);
  EXPECT_TRUE(culprit == y.get() || culprit == z.get());
}

TEST_F(TopologyTest, OfNothingIsEmpty) {
  const auto topology = Topology::of(*make_ref<Graph>(), nullptr);
  ASSERT_TRUE(topology.ok());
  EXPECT_TRUE(topology.value()->steps().empty());
  EXPECT_EQ(topology.value()->roots() + topology.value()->sinks(), 0u);
}

}  // namespace
}  // namespace cuvette::device
