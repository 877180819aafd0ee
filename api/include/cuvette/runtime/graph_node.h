// SPDX-License-Identifier: Apache-2.0
// Nodes of the other kinds: empty ones, host functions, child graphs, events and external
// semaphores.
//
// Reference: CUDA Runtime API, "Graph Management".
#pragma once

#include "error_types.h"
#include "graph_node_types.h"
#include "handle_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds a copy of a graph as one node.
cudaError_t CUDARTAPI cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                 const cudaGraphNode_t* pDependencies,
                                                 size_t numDependencies, cudaGraph_t childGraph);

// Adds a node that does nothing; edges may meet there.
cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t* pDependencies,
                                            size_t numDependencies);

// Adds the recording of an event.
cudaError_t CUDARTAPI cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                  const cudaGraphNode_t* pDependencies,
                                                  size_t numDependencies, cudaEvent_t event);

// Adds a wait for an event.
cudaError_t CUDARTAPI cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t* pDependencies,
                                                size_t numDependencies, cudaEvent_t event);

// Adds the signal of external semaphores.
cudaError_t CUDARTAPI cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreSignalNodeParams* nodeParams);

// Adds a wait for external semaphores.
cudaError_t CUDARTAPI cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreWaitNodeParams* nodeParams);

// Adds the call of a host function.
cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies,
                                           size_t numDependencies,
                                           const struct cudaHostNodeParams* pNodeParams);

// Writes the graph in a node; it belongs to the node.
cudaError_t CUDARTAPI cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* pGraph);

// Writes the event of a node.
cudaError_t CUDARTAPI cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                                       cudaEvent_t* event_out);

// Sets the event of a node.
cudaError_t CUDARTAPI cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);

// Writes the event of a node.
cudaError_t CUDARTAPI cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out);

// Sets the event of a node.
cudaError_t CUDARTAPI cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);

// Writes what a node signals; the arrays live as long as the node is not changed.
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreSignalNodeParams* params_out);

// Sets what a node signals.
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreSignalNodeParams* nodeParams);

// Writes what a node waits for; the arrays live as long as the node is not changed.
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreWaitNodeParams* params_out);

// Sets what a node waits for.
cudaError_t CUDARTAPI cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreWaitNodeParams* nodeParams);

// Writes the function of a host node.
cudaError_t CUDARTAPI cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                 struct cudaHostNodeParams* pNodeParams);

// Sets the function of a host node.
cudaError_t CUDARTAPI cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                 const struct cudaHostNodeParams* pNodeParams);

#ifdef __cplusplus
}
#endif
