// SPDX-License-Identifier: Apache-2.0
// Handles of graphs, nodes and what belongs to them. Objects get one when the program is told of
// them for the first time.
//
// Threads: any; where graph_mutex is asked for, it guards the objects' handles.
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

// The graph is gone: so are the handles of all that is in it.
void forget_handles_of(device::Graph& graph) REQUIRES(device::graph_mutex);
void forget_handles_of(device::GraphNode& node) REQUIRES(device::graph_mutex);

// `edges` may be null: ordinary ones. Errors: invalid_value.
Result<device::EdgeKind> edge_kind(const CUgraphEdgeData& edge);
Result<device::Dependencies> dependencies_of(const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                                             size_t count);
CUgraphEdgeData edge_data(const device::EdgeKind& kind);

}  // namespace cuvette::driver
