// SPDX-License-Identifier: Apache-2.0
// Checks what a node of a graph may be given. All errors are invalid_value, with a sentence that
// says what is wrong, unless another is named.
//
// Threads: any; what takes a graph, under graph_mutex.
#pragma once

#include "sim/device/graph/graph.hpp"

namespace cuvette::device {

// Checks the shape of what is to be filled; the memory is not looked at.
Result<> check_fill_shape(const FillWork& fill);
// Checks that the memory can be filled, by the node's context if it has one; without one, the rest
// waits for the launch. Errors: those of make_fill() and find_access().
Result<> check_fill_memory(const FillWork& fill, const void* call_site);

// Checks that `child` may become a part of `parent` (null: any graph) itself, instead of a copy.
Result<> check_child(const Graph& child, const Graph* parent) REQUIRES(graph_mutex);

// Checks that a node of `graph` may free the memory of an allocation node.
Result<> check_freed(const Graph& graph, memory::DevicePtr address) REQUIRES(graph_mutex);

// Returns the graph's condition with this handle for a new conditional node.
Result<Ref<Condition>> find_condition(const Graph& graph, uint64_t handle) REQUIRES(graph_mutex);
// Checks how many bodies a conditional node has.
Result<> check_bodies(ConditionKind kind, unsigned count);

}  // namespace cuvette::device
