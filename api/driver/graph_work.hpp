// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes, as the C API gives and asks for them, and as graphs keep them.
//
// Threads: any. Errors of all: invalid_value for null and for what makes no sense, the errors of
// handles, and not_supported for types of nodes that are not implemented.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/graph.hpp"

namespace cuvette::driver {

// `ctx` null is the current context, if there is one.
Result<device::Work> work_of(const CUDA_MEMCPY3D* parameters, CUcontext ctx);
Result<device::Work> work_of(const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext ctx);
Result<device::Work> work_of(const CUDA_HOST_NODE_PARAMS* parameters);
Result<device::Work> work_of(CUevent event);
// A copy of `child`, or `child` itself. Errors: as of Graph::clone.
Result<device::Work> work_of(CUgraph child, CUgraphChildGraphNodeOwnership ownership,
                             const device::Graph* parent) REQUIRES(device::graph_mutex);
// What is new memory gets its address in `parameters`.
Result<device::Work> work_of(CUDA_MEM_ALLOC_NODE_PARAMS& parameters);
Result<device::Work> work_of_free(CUdeviceptr address, const device::Graph& graph)
    REQUIRES(device::graph_mutex);
// Errors: as above, for null contexts, too, and as of operations_of().
Result<device::Work> work_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters);
// New bodies; where their handles stand is written to `parameters` by tell_bodies(), once the node
// is made.
Result<device::Work> work_of(const CUDA_CONDITIONAL_NODE_PARAMS& parameters, device::Graph& graph)
    REQUIRES(device::graph_mutex);
Result<> tell_bodies(device::GraphNode& node, CUDA_CONDITIONAL_NODE_PARAMS& parameters)
    REQUIRES(device::graph_mutex);

struct TypedWork {
  device::NodeType type;
  device::Work work;
};
// Of any type. `graph` is the one that the node is, or will be, of; `existing`: the node is there
// already, so that types which make something are refused.
Result<TypedWork> work_of(CUgraphNodeParams* parameters, device::Graph& graph, bool existing)
    REQUIRES(device::graph_mutex);

CUDA_MEMCPY3D parameters_of(const device::CopyWork& work);
CUDA_MEMSET_NODE_PARAMS parameters_of(const device::FillWork& work);
CUDA_MEM_ALLOC_NODE_PARAMS parameters_of(const device::AllocateWork& work);
// The array belongs to the node.
CUDA_BATCH_MEM_OP_NODE_PARAMS parameters_of(device::BatchWork& work);

}  // namespace cuvette::driver
