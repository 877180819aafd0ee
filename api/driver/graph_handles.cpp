// SPDX-License-Identifier: Apache-2.0
#include "api/driver/graph_handles.hpp"

#include <algorithm>
#include <iterator>

namespace cuvette::driver {

// Each table has a number that no other table has.
constinit HandleTable<device::Graph> graph_handles(15);
constinit HandleTable<device::GraphNode> graph_node_handles(14);
constinit HandleTable<device::UserObject> user_object_handles(12);

namespace {

template <typename Object, typename Handle>
Result<Ref<Object>> find_in(const HandleTable<Object>& table, Handle handle, const char* what) {
  if (Ref<Object> object = table.find(reinterpret_cast<uintptr_t>(handle))) return object;
  return refuse(Error::invalid_value, "%p is not a live %s.", static_cast<void*>(handle), what);
}

template <typename Handle, typename Object>
Result<Handle> give_handle(HandleTable<Object>& table, Object& object) {
  uintptr_t handle = object.handle.load(std::memory_order_relaxed);
  if (!handle) {
    handle = TRY(table.insert(Ref<Object>(&object)));
    object.handle.store(handle, std::memory_order_relaxed);
  }
  return reinterpret_cast<Handle>(handle);
}

template <typename Object>
void take_handle(HandleTable<Object>& table, Object& object) {
  if (const uintptr_t handle = object.handle.exchange(0, std::memory_order_relaxed))
    table.remove(handle);
}

}  // namespace

Result<Ref<device::Graph>> find(CUgraph handle) { return find_in(graph_handles, handle, "graph"); }

Result<Ref<device::GraphNode>> find(CUgraphNode handle) {
  return find_in(graph_node_handles, handle, "node of a graph");
}

Result<Ref<device::UserObject>> find(CUuserObject handle) {
  return find_in(user_object_handles, handle, "user object");
}

Result<CUgraph> handle_of(device::Graph& graph) {
  return give_handle<CUgraph>(graph_handles, graph);
}

Result<CUgraphNode> handle_of(device::GraphNode& node) {
  return give_handle<CUgraphNode>(graph_node_handles, node);
}

void forget_handles_of(device::Graph& graph) {
  for (const Ref<device::GraphNode>& node : graph.nodes()) forget_handles_of(*node);
  take_handle(graph_handles, graph);
}

void forget_handles_of(device::GraphNode& node) {
  take_handle(graph_node_handles, node);
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
    return refuse(Error::invalid_value, "%zu dependencies are said to stand at null.", count);
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
