// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: what they depend on, and those without memory: host functions, events, child
// graphs.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies) {
  return call([&] {
    return DRIVER(cuGraphAddEmptyNode)(pGraphNode, graph, pDependencies, numDependencies);
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph) {
  return call([&] {
    return DRIVER(cuGraphAddChildGraphNode)(pGraphNode, graph, pDependencies, numDependencies,
                                            childGraph);
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* pGraph) {
  return call([&] { return DRIVER(cuGraphChildGraphNodeGetGraph)(node, pGraph); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
  return call(
      [&] { return DRIVER(cuGraphExecChildGraphNodeSetParams)(hGraphExec, node, childGraph); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t* pDependencies,
                                        size_t numDependencies, cudaEvent_t event) {
  return call([&]() -> Status {
    if (event == nullptr) return cudaErrorInvalidValue;
    return DRIVER(cuGraphAddEventRecordNode)(pGraphNode, graph, pDependencies, numDependencies,
                                             event);
  });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return call([&] { return DRIVER(cuGraphEventRecordNodeGetEvent)(node, event_out); });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call([&] { return DRIVER(cuGraphEventRecordNodeSetEvent)(node, event); });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 cudaEvent_t event) {
  return call([&] { return DRIVER(cuGraphExecEventRecordNodeSetEvent)(hGraphExec, hNode, event); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                      cudaEvent_t event) {
  return call([&] {
    return DRIVER(cuGraphAddEventWaitNode)(pGraphNode, graph, pDependencies, numDependencies,
                                           event);
  });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return call([&] { return DRIVER(cuGraphEventWaitNodeGetEvent)(node, event_out); });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call([&] { return DRIVER(cuGraphEventWaitNodeSetEvent)(node, event); });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                               cudaEvent_t event) {
  return call([&] { return DRIVER(cuGraphExecEventWaitNodeSetEvent)(hGraphExec, hNode, event); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                 const cudaHostNodeParams* pNodeParams) {
  return call([&] {
    return DRIVER(cuGraphAddHostNode)(pGraphNode, graph, pDependencies, numDependencies,
                                      same_layout<CUDA_HOST_NODE_PARAMS>(pNodeParams));
  });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* pNodeParams) {
  return call([&] {
    return DRIVER(cuGraphHostNodeGetParams)(node, same_layout<CUDA_HOST_NODE_PARAMS>(pNodeParams));
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const cudaHostNodeParams* pNodeParams) {
  return call([&] {
    return DRIVER(cuGraphHostNodeSetParams)(node, same_layout<CUDA_HOST_NODE_PARAMS>(pNodeParams));
  });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* pNodeParams) {
  return call([&] {
    return DRIVER(cuGraphExecHostNodeSetParams)(hGraphExec, node,
                                                same_layout<CUDA_HOST_NODE_PARAMS>(pNodeParams));
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return call([&] { return DRIVER(cuGraphDestroyNode)(node); });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph) {
  return call([&] { return DRIVER(cuGraphNodeFindInClone)(pNode, originalNode, clonedGraph); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* pType) {
  return call([&]() -> Status {
    CUgraphNodeType type{};
    CHECK(DRIVER(cuGraphNodeGetType)(node, pType != nullptr ? &type : nullptr));
    // Measured: cudaGraphNodeType has no number for a batch of memory operations.
    if (type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) return cudaErrorUnknown;
    *pType = static_cast<cudaGraphNodeType>(type);
    return {};
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int* isEnabled) {
  return call([&] { return DRIVER(cuGraphNodeGetEnabled)(hGraphExec, hNode, isEnabled); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                    unsigned int isEnabled) {
  return call([&] { return DRIVER(cuGraphNodeSetEnabled)(hGraphExec, hNode, isEnabled); });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* pHandle_out,
                                             cudaGraph_t graph, unsigned int defaultLaunchValue,
                                             unsigned int flags) {
  return call([&]() -> Status {
    CUcontext context = nullptr;
    CHECK(DRIVER(cuCtxGetCurrent)(&context));
    return DRIVER(cuGraphConditionalHandleCreate)(
        same_layout<CUgraphConditionalHandle>(pHandle_out), graph, context, defaultLaunchValue,
        flags);
  });
}
}
