// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_topology.hpp"

#include <unordered_map>
#include <utility>

namespace cuvette::device {
namespace {

// Steps as they are found, and their edges by number.
struct Draft {
  struct Step {
    GraphNode* node;
    std::vector<uint32_t> after;
    uint32_t before = 0;
  };
  std::vector<Step> steps;

  uint32_t add(GraphNode* node) {
    steps.push_back({node, {}});
    return static_cast<uint32_t>(steps.size() - 1);
  }
  void connect(uint32_t from, uint32_t to) {
    steps[from].after.push_back(to);
    ++steps[to].before;
  }

  // The first and the last step of a node: the same one, or the two around a child graph.
  struct Ends {
    uint32_t begin, end;
  };
  // Returns the ends of the whole graph, if it is inside a node (`bounded`).
  void lay_flat(const Graph& graph, const Ends* bounds) {
    std::unordered_map<const GraphNode*, Ends> ends;
    ends.reserve(graph.nodes().size());
    for (const Ref<GraphNode>& node : graph.nodes()) {
      if (node->type() != NodeType::child) {
        const uint32_t step = add(node.get());
        ends.emplace(node.get(), Ends{step, step});
        continue;
      }
      const Ends around{add(nullptr), add(nullptr)};
      ends.emplace(node.get(), around);
      connect(around.begin, around.end);
      lay_flat(*node->work<ChildWork>().graph, &around);
    }
    for (const Ref<GraphNode>& node : graph.nodes()) {
      const Ends& own = ends.at(node.get());
      for (const NodeEdge& edge : node->after()) connect(own.end, ends.at(edge.node).begin);
      if (bounds && node->before().empty()) connect(bounds->begin, own.begin);
      if (bounds && node->after().empty()) connect(own.end, bounds->end);
    }
  }
};

}  // namespace

Result<Ref<Topology>> Topology::of(const Graph& graph, GraphNode** culprit) {
  Draft draft;
  draft.lay_flat(graph, nullptr);

  // Kahn's algorithm: a step follows once all of its predecessors are listed.
  const auto count = static_cast<uint32_t>(draft.steps.size());
  std::vector<uint32_t> order, missing(count), place(count, UINT32_MAX);
  order.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    missing[i] = draft.steps[i].before;
    if (missing[i] == 0) order.push_back(i);
  }
  auto topology = Ref<Topology>::adopt(new Topology);
  topology->roots_ = static_cast<uint32_t>(order.size());
  for (uint32_t done = 0; done < order.size(); ++done) {
    place[order[done]] = done;
    for (const uint32_t next : draft.steps[order[done]].after)
      if (--missing[next] == 0) order.push_back(next);
  }
  if (order.size() < count) {
    if (culprit)
      for (uint32_t i = 0; i < count && !*culprit; ++i)
        if (place[i] == UINT32_MAX) *culprit = draft.steps[i].node;
    return refuse(Error::invalid_value, "The edges of the graph form a cycle.");
  }

  topology->steps_.reserve(count);
  for (const uint32_t i : order) {
    const Draft::Step& step = draft.steps[i];
    const auto begin = static_cast<uint32_t>(topology->after_.size());
    for (const uint32_t next : step.after) topology->after_.push_back(place[next]);
    const auto end = static_cast<uint32_t>(topology->after_.size());
    if (begin == end) ++topology->sinks_;
    Step made{step.node, step.before, begin, end, {}};
    if (step.node && step.node->type() == NodeType::conditional)
      for (const Ref<Graph>& body : step.node->work<ConditionalWork>().bodies)
        made.bodies.push_back(TRY(Topology::of(*body, culprit)));
    topology->steps_.push_back(std::move(made));
  }
  return topology;
}

}  // namespace cuvette::device
