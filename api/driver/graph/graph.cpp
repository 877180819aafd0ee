// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/graph/graph_dot.hpp"
#include "api/driver/graph/graph_handles.hpp"
#include "api/driver/graph/graph_list.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::Graph;
using device::graph_mutex;
using device::GraphNode;

namespace {

// "Nodes and edges of the graph cannot be deleted" once memory is allocated or freed in it.
Result<> check_loose(const Graph& graph) {
  if (graph.manages_memory())
    return refuse(Error::not_supported,
                  "A graph that allocates or frees memory keeps its nodes and edges.");
  return {};
}

// --- Edges ---------------------------------------------------------------------------------------

[[gnu::always_inline]] inline CUresult add_edges(CUgraph hGraph, const CUgraphNode* from,
                                                 const CUgraphNode* to,
                                                 const CUgraphEdgeData* edges, size_t count) {
  return call<CUresult>([&]() -> Result<> {
    const auto graph = TRY(find(hGraph));
    const auto begins = TRY(dependencies_of(from, edges, count)),
               ends = TRY(dependencies_of(to, nullptr, count));
    MutexLock lock(graph_mutex);
    for (size_t i = 0; i < count; ++i) {
      auto added = graph->add_edge(*begins[i].node, *ends[i].node, begins[i].kind);
      if (added.ok()) continue;
      // All edges are added, or none.
      while (i-- > 0)
        if (!graph->remove_edge(*begins[i].node, *ends[i].node, &begins[i].kind).ok()) break;
      return added;
    }
    return {};
  });
}

[[gnu::always_inline]] inline CUresult remove_edges(CUgraph hGraph, const CUgraphNode* from,
                                                    const CUgraphNode* to,
                                                    const CUgraphEdgeData* edges, size_t count) {
  return call<CUresult>([&]() -> Result<> {
    const auto graph = TRY(find(hGraph));
    const auto begins = TRY(dependencies_of(from, edges, count)),
               ends = TRY(dependencies_of(to, nullptr, count));
    MutexLock lock(graph_mutex);
    if (count > 0) TRY(check_loose(*graph));
    for (size_t i = 0; i < count; ++i) {
      const device::EdgeKind* kind = edges ? &begins[i].kind : nullptr;
      auto removed = graph->remove_edge(*begins[i].node, *ends[i].node, kind);
      if (removed.ok()) continue;
      while (i-- > 0)
        if (!graph->add_edge(*begins[i].node, *ends[i].node, begins[i].kind).ok()) break;
      return removed;
    }
    return {};
  });
}

[[gnu::always_inline]] inline CUresult get_edges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to,
                                                 CUgraphEdgeData* edges, size_t* count) {
  return call<CUresult>([&]() -> Result<> {
    const auto graph = TRY(find(hGraph));
    TRY(check_place(count));
    // "from and to may both be NULL, in which case this function only returns the number of edges".
    if (!from != !to) return refuse(Error::invalid_value, "One of the two node lists is null.");
    MutexLock lock(graph_mutex);
    EdgeList list;
    for (const Ref<GraphNode>& node : graph->nodes())
      for (const device::NodeEdge& edge : node->after()) list.add(*node, *edge.node, edge.kind);
    return list.tell(from, to, edges, count);
  });
}

template <typename Select>
[[gnu::always_inline]] inline CUresult get_neighbours(CUgraphNode hNode, CUgraphNode* nodes,
                                                      CUgraphEdgeData* edges, size_t* count,
                                                      Select select) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find(hNode));
    TRY(check_place(count));
    MutexLock lock(graph_mutex);
    EdgeList list;
    for (const device::NodeEdge& edge : select(*node)) list.add(*edge.node, *edge.node, edge.kind);
    return list.tell(nodes, nullptr, edges, count);
  });
}

[[gnu::always_inline]] inline CUresult get_before(CUgraphNode hNode, CUgraphNode* nodes,
                                                  CUgraphEdgeData* edges, size_t* count) {
  return get_neighbours(hNode, nodes, edges, count,
                        [](const GraphNode& node) { return node.before(); });
}
[[gnu::always_inline]] inline CUresult get_after(CUgraphNode hNode, CUgraphNode* nodes,
                                                 CUgraphEdgeData* edges, size_t* count) {
  return get_neighbours(hNode, nodes, edges, count,
                        [](const GraphNode& node) { return node.after(); });
}

template <typename Predicate>
[[gnu::always_inline]] inline CUresult get_nodes(CUgraph hGraph, CUgraphNode* nodes, size_t* count,
                                                 Predicate wanted) {
  return call<CUresult>([&]() -> Result<> {
    const auto graph = TRY(find(hGraph));
    TRY(check_place(count));
    MutexLock lock(graph_mutex);
    EdgeList list;
    for (const Ref<GraphNode>& node : graph->nodes())
      if (wanted(*node)) list.add(*node, *node, {});
    return list.tell(nodes, nullptr, nullptr, count);
  });
}

}  // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_place(phGraph));
    if (flags != 0) return refuse(Error::invalid_value, "Flags are 0x%x; they must be 0.", flags);
    const auto graph = make_ref<Graph>();
    MutexLock lock(graph_mutex);
    *phGraph = TRY(give_handle(*graph));
    return {};
  });
}

CUresult cuGraphDestroy(CUgraph hGraph) {
  return call<CUresult>([&]() -> Result<> {
    // Both are released without the lock.
    const auto graph = TRY(find(hGraph));
    std::vector<Ref<GraphNode>> nodes;
    MutexLock lock(graph_mutex);
    if (graph->parent())
      return refuse(Error::invalid_value,
                    "The graph is part of another graph, and is destroyed with it.");
    if (graph->captured) return refuse(Error::invalid_value, "A capture is writing the graph.");
    forget_handles_of(*graph);
    nodes = graph->dissolve();
    return {};
  });
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  return call<CUresult>([&]() -> Result<> {
    const auto node = TRY(find(hNode));
    std::vector<Ref<GraphNode>> inner;
    MutexLock lock(graph_mutex);
    Graph* graph = node->graph();
    if (!graph) return refuse(Error::invalid_value, "The node is no longer in a graph.");
    TRY(check_loose(*graph));
    forget_handles_of(*node);
    graph->remove(*node);
    return {};
  });
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_place(phGraphClone));
    const auto graph = TRY(find(originalGraph));
    MutexLock lock(graph_mutex);
    // Measured.
    if (graph->has_conditional_nodes())
      return refuse(Error::not_supported, "A graph with conditional nodes cannot be cloned.");
    const auto clone = TRY(graph->clone());
    *phGraphClone = TRY(give_handle(*clone));
    return {};
  });
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t numDependencies) {
  return add_edges(hGraph, from, to, nullptr, numDependencies);
}
CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return add_edges(hGraph, from, to, edgeData, numDependencies);
}
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t numDependencies) {
  return remove_edges(hGraph, from, to, nullptr, numDependencies);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from,
                                      const CUgraphNode* to, const CUgraphEdgeData* edgeData,
                                      size_t numDependencies) {
  return remove_edges(hGraph, from, to, edgeData, numDependencies);
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, size_t* numEdges) {
  return get_edges(hGraph, from, to, nullptr, numEdges);
}
CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to,
                            CUgraphEdgeData* edgeData, size_t* numEdges) {
  return get_edges(hGraph, from, to, edgeData, numEdges);
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
  return get_nodes(hGraph, nodes, numNodes, [](const GraphNode&) { return true; });
}
CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes) {
  return get_nodes(hGraph, rootNodes, numRootNodes,
                   [](const GraphNode& node) { return node.before().empty(); });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies,
                                    size_t* numDependencies) {
  return get_before(hNode, dependencies, nullptr, numDependencies);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies,
                                       CUgraphEdgeData* edgeData, size_t* numDependencies) {
  return get_before(hNode, dependencies, edgeData, numDependencies);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                      size_t* numDependentNodes) {
  return get_after(hNode, dependentNodes, nullptr, numDependentNodes);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes,
                                         CUgraphEdgeData* edgeData, size_t* numDependentNodes) {
  return get_after(hNode, dependentNodes, edgeData, numDependentNodes);
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph,
                                        CUcontext ctx, unsigned int defaultLaunchValue,
                                        unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_place(pHandle_out));
    const auto graph = TRY(find(hGraph));
    if (ctx) TRY(find(ctx));
    if (flags & ~static_cast<unsigned>(CU_GRAPH_COND_ASSIGN_DEFAULT))
      return refuse(Error::invalid_value,
                    "Flags 0x%x have bits beyond CU_GRAPH_COND_ASSIGN_DEFAULT.", flags);
    MutexLock lock(graph_mutex);
    *pHandle_out = graph->add_condition(defaultLaunchValue, flags & CU_GRAPH_COND_ASSIGN_DEFAULT);
    return {};
  });
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
  return call<CUresult>([&]() -> Result<> {
    const auto graph = TRY(find(hGraph));
    if (!path) return refuse(Error::invalid_value, "The path is null.");
    std::string text;
    {
      MutexLock lock(graph_mutex);
      text = TRY(dot_of(*graph, flags));
    }
    std::ofstream file(path);
    file << text;
    file.close();
    if (!file) return refuse(Error::operating_system, "Cannot write the file %s.", path);
    return {};
  });
}

}  // extern "C"
