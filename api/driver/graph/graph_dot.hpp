// SPDX-License-Identifier: Apache-2.0
// Writes a graph in the DOT language, for human readers.
#pragma once

#include <string>

#include "api/driver/cuda.hpp"
#include "sim/device/graph/graph.hpp"

namespace cuvette::driver {

// `flags` are CUgraphDebugDot_flags, which say what to write. Errors: invalid_value.
Result<std::string> dot_of(const device::Graph& graph, unsigned flags)
    REQUIRES(device::graph_mutex);

}  // namespace cuvette::driver
