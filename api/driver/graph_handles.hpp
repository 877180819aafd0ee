// SPDX-License-Identifier: Apache-2.0
// Handles of graphs, nodes and what belongs to them. An object gets one when the program first asks
// for it.
//
// Threads: any; where graph_mutex is required, it guards the objects' handles.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_table.hpp"
#include "sim/device/graph.hpp"

namespace cuvette::driver {

extern HandleTable<device::Graph> graph_handles;
extern HandleTable<device::GraphNode> graph_node_handles;
extern HandleTable<device::UserObject> user_object_handles;

// Errors: invalid_value (as measured).
Result<Ref<device::Graph>> find(CUgraph handle);
Result<Ref<device::GraphNode>> find(CUgraphNode handle);
Result<Ref<device::UserObject>> find(CUuserObject handle);

// Errors: out_of_memory.
Result<CUgraph> handle_of(device::Graph& graph) REQUIRES(device::graph_mutex);
Result<CUgraphNode> handle_of(device::GraphNode& node) REQUIRES(device::graph_mutex);

// Ends the handles of a graph that is gone, and of everything in it.
void forget_handles_of(device::Graph& graph) REQUIRES(device::graph_mutex);
void forget_handles_of(device::GraphNode& node) REQUIRES(device::graph_mutex);

// `edges` may be null, which means ordinary ones. Errors: invalid_value.
Result<device::EdgeKind> edge_kind(const CUgraphEdgeData& edge);
Result<device::Dependencies> dependencies_of(const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                                             size_t count);
CUgraphEdgeData edge_data(const device::EdgeKind& kind);

}  // namespace cuvette::driver
