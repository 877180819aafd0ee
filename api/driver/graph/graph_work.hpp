// SPDX-License-Identifier: Apache-2.0
// Translates the parameters of nodes between the C API's form and the one that graphs keep.
//
// Threads: any. All give these errors: invalid_value for null and for invalid parameters, the
// errors of handles, and not_supported for types of nodes that are not implemented.
#pragma once

#include "api/driver/cuda.hpp"
#include "sim/device/graph/graph.hpp"

namespace cuvette::driver {

// A null `ctx` means the current context, if there is one.
Result<device::Work> work_of(const CUDA_MEMCPY3D* parameters, CUcontext ctx);
Result<device::Work> work_of(const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext ctx);
Result<device::Work> work_of(const CUDA_HOST_NODE_PARAMS* parameters);
Result<device::Work> work_of(CUevent event);
// Takes a copy of `child`, or `child` itself. Errors: also as Graph::clone.
Result<device::Work> work_of(CUgraph child, CUgraphChildGraphNodeOwnership ownership,
                             const device::Graph* parent) REQUIRES(device::graph_mutex);
// Reserves the memory, and writes its address to `parameters`.
Result<device::Work> work_of(CUDA_MEM_ALLOC_NODE_PARAMS& parameters);
Result<device::Work> work_of_free(CUdeviceptr address, const device::Graph& graph)
    REQUIRES(device::graph_mutex);
// Errors: as above, also for null contexts, and as operations_of().
Result<device::Work> work_of(const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters);
// Creates the bodies; after the node is made, tell_bodies() writes the address of their handles to
// `parameters`.
Result<device::Work> work_of(const CUDA_CONDITIONAL_NODE_PARAMS& parameters, device::Graph& graph)
    REQUIRES(device::graph_mutex);
Result<> tell_bodies(device::GraphNode& node, CUDA_CONDITIONAL_NODE_PARAMS& parameters)
    REQUIRES(device::graph_mutex);

struct TypedWork {
  device::NodeType type;
  device::Work work;
};
// Takes parameters of any type. `graph` has, or will have, the node. `existing`: the node exists
// already, so types that create objects are refused.
Result<TypedWork> work_of(CUgraphNodeParams* parameters, device::Graph& graph, bool existing)
    REQUIRES(device::graph_mutex);

CUDA_MEMCPY3D parameters_of(const device::CopyWork& work);
CUDA_MEMSET_NODE_PARAMS parameters_of(const device::FillWork& work);
CUDA_MEM_ALLOC_NODE_PARAMS parameters_of(const device::AllocateWork& work);
// The array in the result belongs to the node.
CUDA_BATCH_MEM_OP_NODE_PARAMS parameters_of(device::BatchWork& work);

}  // namespace cuvette::driver
