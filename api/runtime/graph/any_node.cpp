// SPDX-License-Identifier: Apache-2.0
// Nodes of any type, described by one structure.
//
// Reference: CUDA Runtime API, "Graph Management".
#include <cstring>

#include "api/runtime/abi.hpp"
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/memory/box.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

namespace {
// Most members of the union have the same layout in both APIs. Kernels, copies and what belongs to
// a context are converted.
Status describe_node(const cudaGraphNodeParams& from, CUgraphNodeParams* to) {
  static_assert(sizeof(CUgraphNodeParams) == sizeof(cudaGraphNodeParams));
  std::memcpy(to, &from, sizeof *to);
  switch (from.type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& kernel = from.kernel;
      to->kernel = {};
      CHECK(find_kernel(kernel.func, &to->kernel.kern));
      to->kernel.gridDimX = kernel.gridDim.x;
      to->kernel.gridDimY = kernel.gridDim.y;
      to->kernel.gridDimZ = kernel.gridDim.z;
      to->kernel.blockDimX = kernel.blockDim.x;
      to->kernel.blockDimY = kernel.blockDim.y;
      to->kernel.blockDimZ = kernel.blockDim.z;
      to->kernel.sharedMemBytes = kernel.sharedMemBytes;
      to->kernel.kernelParams = kernel.kernelParams;
      to->kernel.extra = kernel.extra;
      return {};
    }
    case cudaGraphNodeTypeMemcpy:
      to->memcpy = {};
      to->memcpy.flags = from.memcpy.flags;
      CHECK(describe_copy(from.memcpy.copyParams, &to->memcpy.copyParams));
      return DRIVER(cuCtxGetCurrent)(&to->memcpy.copyCtx);
    case cudaGraphNodeTypeMemset:
      return DRIVER(cuCtxGetCurrent)(&to->memset.ctx);
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeWaitEvent:
      // Both kinds hold only an event.
      return from.eventRecord.event == nullptr ? cudaErrorInvalidValue : cudaSuccess;
    case cudaGraphNodeTypeConditional:
      return DRIVER(cuCtxGetCurrent)(&to->conditional.ctx);
    default:
      return {};
  }
}
}  // namespace

extern "C" {

cudaError_t LATEST(cudaGraphAddNode, _v2)(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t* pDependencies,
                                          const cudaGraphEdgeData* dependencyData,
                                          size_t numDependencies, cudaGraphNodeParams* nodeParams) {
  return call([&]() -> Status {
    if (nodeParams == nullptr) return cudaErrorInvalidValue;
    CUgraphNodeParams parameters;
    CHECK(describe_node(*nodeParams, &parameters));
    CHECK(DRIVER(cuGraphAddNode)(pGraphNode, graph, pDependencies,
                                 same_layout<CUgraphEdgeData>(dependencyData), numDependencies,
                                 &parameters));
    // The driver returns where a node's allocation lies, and the bodies of a condition.
    if (nodeParams->type == cudaGraphNodeTypeMemAlloc)
      nodeParams->alloc.dptr = reinterpret_cast<void*>(parameters.alloc.dptr);
    if (nodeParams->type == cudaGraphNodeTypeConditional)
      nodeParams->conditional.phGraph_out = parameters.conditional.phGraph_out;
    return {};
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* nodeParams) {
  return call([&]() -> Status {
    if (nodeParams == nullptr) return cudaErrorInvalidValue;
    CUgraphNodeParams parameters;
    CHECK(describe_node(*nodeParams, &parameters));
    return DRIVER(cuGraphNodeSetParams)(node, &parameters);
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* nodeParams) {
  return call([&]() -> Status {
    if (nodeParams == nullptr) return cudaErrorInvalidValue;
    CUgraphNodeParams parameters;
    CHECK(describe_node(*nodeParams, &parameters));
    return DRIVER(cuGraphExecNodeSetParams)(graphExec, node, &parameters);
  });
}
}
