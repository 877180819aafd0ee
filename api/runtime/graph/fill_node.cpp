// SPDX-License-Identifier: Apache-2.0
// Fills as nodes of graphs.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                   const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                   const cudaMemsetParams* pMemsetParams) {
  return call([&]() -> Status {
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    return DRIVER(cuGraphAddMemsetNode)(pGraphNode, graph, pDependencies, numDependencies,
                                        same_layout<CUDA_MEMSET_NODE_PARAMS>(pMemsetParams),
                                        context);
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* pNodeParams) {
  return call([&] {
    return DRIVER(cuGraphMemsetNodeGetParams)(node,
                                              same_layout<CUDA_MEMSET_NODE_PARAMS>(pNodeParams));
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemsetParams* pNodeParams) {
  return call([&] {
    return DRIVER(cuGraphMemsetNodeSetParams)(node,
                                              same_layout<CUDA_MEMSET_NODE_PARAMS>(pNodeParams));
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemsetParams* pNodeParams) {
  return call([&]() -> Status {
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    return DRIVER(cuGraphExecMemsetNodeSetParams)(
        hGraphExec, node, same_layout<CUDA_MEMSET_NODE_PARAMS>(pNodeParams), context);
  });
}
}
