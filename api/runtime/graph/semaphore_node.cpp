// SPDX-License-Identifier: Apache-2.0
// Operations on external semaphores as nodes of graphs.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
    size_t numDependencies, const cudaExternalSemaphoreSignalNodeParams* nodeParams) {
  return call([&] {
    return DRIVER(cuGraphAddExternalSemaphoresSignalNode)(
        pGraphNode, graph, pDependencies, numDependencies,
        same_layout<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>(nodeParams));
  });
}

cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t hNode, cudaExternalSemaphoreSignalNodeParams* params_out) {
  return call([&] {
    return DRIVER(cuGraphExternalSemaphoresSignalNodeGetParams)(
        hNode, same_layout<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>(params_out));
  });
}

cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t hNode, const cudaExternalSemaphoreSignalNodeParams* nodeParams) {
  return call([&] {
    return DRIVER(cuGraphExternalSemaphoresSignalNodeSetParams)(
        hNode, same_layout<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>(nodeParams));
  });
}

cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const cudaExternalSemaphoreSignalNodeParams* nodeParams) {
  return call([&] {
    return DRIVER(cuGraphExecExternalSemaphoresSignalNodeSetParams)(
        hGraphExec, hNode, same_layout<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>(nodeParams));
  });
}

cudaError_t cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
    size_t numDependencies, const cudaExternalSemaphoreWaitNodeParams* nodeParams) {
  return call([&] {
    return DRIVER(cuGraphAddExternalSemaphoresWaitNode)(
        pGraphNode, graph, pDependencies, numDependencies,
        same_layout<CUDA_EXT_SEM_WAIT_NODE_PARAMS>(nodeParams));
  });
}

cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t hNode, cudaExternalSemaphoreWaitNodeParams* params_out) {
  return call([&] {
    return DRIVER(cuGraphExternalSemaphoresWaitNodeGetParams)(
        hNode, same_layout<CUDA_EXT_SEM_WAIT_NODE_PARAMS>(params_out));
  });
}

cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t hNode, const cudaExternalSemaphoreWaitNodeParams* nodeParams) {
  return call([&] {
    return DRIVER(cuGraphExternalSemaphoresWaitNodeSetParams)(
        hNode, same_layout<CUDA_EXT_SEM_WAIT_NODE_PARAMS>(nodeParams));
  });
}

cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const cudaExternalSemaphoreWaitNodeParams* nodeParams) {
  return call([&] {
    return DRIVER(cuGraphExecExternalSemaphoresWaitNodeSetParams)(
        hGraphExec, hNode, same_layout<CUDA_EXT_SEM_WAIT_NODE_PARAMS>(nodeParams));
  });
}
}
