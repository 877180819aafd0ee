// SPDX-License-Identifier: Apache-2.0
// Handles of executable graphs.
#pragma once

#include "api/driver/cuda.hpp"
#include "api/driver/handle_table.hpp"
#include "sim/device/graph_exec.hpp"

namespace cuvette::driver {

extern HandleTable<device::GraphExec> graph_exec_handles;

// Errors: invalid_value (as measured).
Result<Ref<device::GraphExec>> find(CUgraphExec handle);

}  // namespace cuvette::driver
