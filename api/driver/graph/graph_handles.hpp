// SPDX-License-Identifier: Apache-2.0
// Which handles end with a graph or a node, and graph edges in the C API's form.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_registry.hpp"
#include "sim/device/graph/graph.hpp"

namespace cuvette::driver {

// Ends the handles of a destroyed graph and of everything in it.
void forget_handles_of(device::Graph& graph) REQUIRES(device::graph_mutex);
void forget_handles_of(device::GraphNode& node) REQUIRES(device::graph_mutex);

// `edges` may be null, which means ordinary ones. Errors: invalid_value.
Result<device::EdgeKind> edge_kind(const CUgraphEdgeData& edge);
Result<device::Dependencies> dependencies_of(const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                                             size_t count);
CUgraphEdgeData edge_data(const device::EdgeKind& kind);

// Errors: invalid_value for null.
inline Result<> check_place(const void* place) {
  if (!place) return refuse(Error::invalid_value, "The output pointer is null.");
  return {};
}

}  // namespace cuvette::driver
