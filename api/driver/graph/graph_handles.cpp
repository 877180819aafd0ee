// SPDX-License-Identifier: Apache-2.0
#include "api/driver/graph/graph_handles.hpp"

#include <algorithm>
#include <iterator>

namespace cuvette::driver {

void forget_handles_of(device::Graph& graph) {
  for (const Ref<device::GraphNode>& node : graph.nodes()) forget_handles_of(*node);
  forget_handle_of(graph);
}

void forget_handles_of(device::GraphNode& node) {
  forget_handle_of(node);
  if (const auto* child = std::get_if<device::ChildWork>(&node.any_work()))
    forget_handles_of(*child->graph);
  if (const auto* conditional = std::get_if<device::ConditionalWork>(&node.any_work()))
    for (const Ref<device::Graph>& body : conditional->bodies) forget_handles_of(*body);
}

Result<device::EdgeKind> edge_kind(const CUgraphEdgeData& edge) {
  // "reserved: These bytes are unused and must be zeroed."
  if (std::any_of(std::begin(edge.reserved), std::end(edge.reserved),
                  [](unsigned char byte) { return byte != 0; }))
    return refuse(Error::invalid_value, "The reserved bytes of an edge's data must be 0.");
  return device::EdgeKind{edge.from_port, edge.to_port, edge.type};
}

Result<device::Dependencies> dependencies_of(const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                                             size_t count) {
  if (count > 0 && !nodes)
    return refuse(Error::invalid_value, "The number of dependencies is %zu, but the array is null.",
                  count);
  device::Dependencies dependencies;
  for (size_t i = 0; i < count; ++i) {
    device::Dependency dependency{TRY(find(nodes[i])), {}};
    if (edges) dependency.kind = TRY(edge_kind(edges[i]));
    dependencies.push_back(std::move(dependency));
  }
  return dependencies;
}

CUgraphEdgeData edge_data(const device::EdgeKind& kind) {
  return {kind.from_port, kind.to_port, kind.type, {}};
}

}  // namespace cuvette::driver
