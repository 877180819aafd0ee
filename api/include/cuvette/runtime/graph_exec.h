// SPDX-License-Identifier: Apache-2.0
// Executable graphs: instantiating, launching and updating them.
//
// Reference: CUDA Runtime API, "Graph Management".
#pragma once

#include "error_types.h"
#include "graph_node_types.h"
#include "graph_types.h"
#include "handle_types.h"
#include "memory_copy_types.h"
#include "memory_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaGraphInstantiateWithParams __CUDART_API_PTSZ(cudaGraphInstantiateWithParams)
#define cudaGraphLaunch __CUDART_API_PTSZ(cudaGraphLaunch)
#define cudaGraphUpload __CUDART_API_PTSZ(cudaGraphUpload)
#endif

// Takes the parameters of all nodes of a child graph from a graph of the same shape.
cudaError_t CUDARTAPI cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                                           cudaGraphNode_t node,
                                                           cudaGraph_t childGraph);

// Destroys an executable graph; a launch that runs is completed.
cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t graphExec);

// Sets the event of a node, for later launches.
cudaError_t CUDARTAPI cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                           cudaGraphNode_t hNode,
                                                           cudaEvent_t event);

// Sets the event of a node, for later launches.
cudaError_t CUDARTAPI cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                         cudaGraphNode_t hNode, cudaEvent_t event);

// Sets what a node signals, for later launches.
cudaError_t CUDARTAPI cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreSignalNodeParams* nodeParams);

// Sets what a node waits for, for later launches.
cudaError_t CUDARTAPI cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreWaitNodeParams* nodeParams);

// Writes the flags with which it was instantiated.
cudaError_t CUDARTAPI cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long* flags);

// Sets the function of a host node, for later launches.
cudaError_t CUDARTAPI cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec,
                                                     cudaGraphNode_t node,
                                                     const struct cudaHostNodeParams* pNodeParams);

// Sets the parameters of a kernel node, for later launches; the device stays.
cudaError_t CUDARTAPI
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams* pNodeParams);

// Sets the parameters of a copy, for later launches; the kinds of memory stay.
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node,
                                                       const struct cudaMemcpy3DParms* pNodeParams);

// As cudaGraphExecMemcpyNodeSetParams, for count bytes in a row.
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                                         cudaGraphNode_t node, void* dst,
                                                         const void* src, size_t count,
                                                         enum cudaMemcpyKind kind);

// As cudaGraphExecMemcpyNodeSetParams, out of a variable.
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                                 cudaGraphNode_t node, void* dst,
                                                                 const void* symbol, size_t count,
                                                                 size_t offset,
                                                                 enum cudaMemcpyKind kind);

// As cudaGraphExecMemcpyNodeSetParams, into a variable.
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                               cudaGraphNode_t node,
                                                               const void* symbol, const void* src,
                                                               size_t count, size_t offset,
                                                               enum cudaMemcpyKind kind);

// Sets the parameters of a filling, for later launches.
cudaError_t CUDARTAPI cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec,
                                                       cudaGraphNode_t node,
                                                       const struct cudaMemsetParams* pNodeParams);

// Sets the parameters of a node of any kind, for later launches.
cudaError_t CUDARTAPI cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                                 struct cudaGraphNodeParams* nodeParams);

// Takes all parameters from a graph of the same shape. cudaErrorGraphExecUpdateFailure, with
// the reason in resultInfo, if the shapes differ.
cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                          cudaGraphExecUpdateResultInfo* resultInfo);

// Makes an executable copy of a graph; flags are cudaGraphInstantiateFlags.
cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                           unsigned long long flags CUVETTE_DEFAULT(0));

// As cudaGraphInstantiate.
cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                                    unsigned long long flags CUVETTE_DEFAULT(0));

// As cudaGraphInstantiate, with the reason of a failure; it may upload at once.
cudaError_t CUDARTAPI cudaGraphInstantiateWithParams(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams* instantiateParams);

// Runs an executable graph in the order of a stream. Launches of one graph do not overlap.
cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);

// Writes whether a node of an executable graph runs: 1 or 0.
cudaError_t CUDARTAPI cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                              unsigned int* isEnabled);

// Says whether a node of an executable graph runs; for kernels, copies and fillings.
cudaError_t CUDARTAPI cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                              unsigned int isEnabled);

// Brings an executable graph to the device before its first launch.
cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaGraphInstantiateWithParams
#undef cudaGraphLaunch
#undef cudaGraphUpload

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaGraphInstantiateWithParams(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams* instantiateParams);
cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
