// SPDX-License-Identifier: Apache-2.0
// Nodes that copy, fill, allocate and free memory.
//
// Reference: CUDA Runtime API, "Graph Management".
#pragma once

#include "error_types.h"
#include "graph_node_types.h"
#include "handle_types.h"
#include "memory_copy_types.h"
#include "memory_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds an allocation; its address is in nodeParams at once, its memory is there when the node has
// run.
cudaError_t CUDARTAPI cudaGraphAddMemAllocNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                               const cudaGraphNode_t* pDependencies,
                                               size_t numDependencies,
                                               struct cudaMemAllocNodeParams* nodeParams);

// Adds the end of an allocation of this graph or another one.
cudaError_t CUDARTAPI cudaGraphAddMemFreeNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                              const cudaGraphNode_t* pDependencies,
                                              size_t numDependencies, void* dptr);

// Adds a copy after the given nodes.
cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies,
                                             size_t numDependencies,
                                             const struct cudaMemcpy3DParms* pCopyParams);

// As cudaGraphAddMemcpyNode, for count bytes in a row.
cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                               const cudaGraphNode_t* pDependencies,
                                               size_t numDependencies, void* dst, const void* src,
                                               size_t count, enum cudaMemcpyKind kind);

// As cudaGraphAddMemcpyNode, out of a variable.
cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode,
                                                       cudaGraph_t graph,
                                                       const cudaGraphNode_t* pDependencies,
                                                       size_t numDependencies, void* dst,
                                                       const void* symbol, size_t count,
                                                       size_t offset, enum cudaMemcpyKind kind);

// As cudaGraphAddMemcpyNode, into a variable.
cudaError_t CUDARTAPI cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                     const cudaGraphNode_t* pDependencies,
                                                     size_t numDependencies, const void* symbol,
                                                     const void* src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind);

// Adds the filling of memory.
cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies,
                                             size_t numDependencies,
                                             const struct cudaMemsetParams* pMemsetParams);

// Writes the parameters of an allocation, its address included.
cudaError_t CUDARTAPI cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                     struct cudaMemAllocNodeParams* params_out);

// Writes the address that a node frees to dptr_out, a void**.
cudaError_t CUDARTAPI cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* dptr_out);

// Writes the parameters of a copy.
cudaError_t CUDARTAPI cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                                   struct cudaMemcpy3DParms* pNodeParams);

// Sets the parameters of a copy.
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaMemcpy3DParms* pNodeParams);

// As cudaGraphMemcpyNodeSetParams, for count bytes in a row.
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst,
                                                     const void* src, size_t count,
                                                     enum cudaMemcpyKind kind);

// As cudaGraphMemcpyNodeSetParams, out of a variable.
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst,
                                                             const void* symbol, size_t count,
                                                             size_t offset,
                                                             enum cudaMemcpyKind kind);

// As cudaGraphMemcpyNodeSetParams, into a variable.
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                           const void* src, size_t count,
                                                           size_t offset, enum cudaMemcpyKind kind);

// Writes the parameters of a filling.
cudaError_t CUDARTAPI cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                                   struct cudaMemsetParams* pNodeParams);

// Sets the parameters of a filling.
cudaError_t CUDARTAPI cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaMemsetParams* pNodeParams);

#ifdef __cplusplus
}
#endif
