// SPDX-License-Identifier: Apache-2.0
// Kernel nodes.
//
// Reference: CUDA Runtime API, "Graph Management".
#pragma once

#include "error_types.h"
#include "graph_node_types.h"
#include "handle_types.h"
#include "launch_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds a kernel after the given nodes. The arguments are copied.
cudaError_t CUDARTAPI cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies,
                                             size_t numDependencies,
                                             const struct cudaKernelNodeParams* pNodeParams);

// Copies all attributes of one kernel node to another one.
cudaError_t CUDARTAPI cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc);

// Writes an attribute of a kernel node.
cudaError_t CUDARTAPI cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode,
                                                      cudaKernelNodeAttrID attr,
                                                      cudaKernelNodeAttrValue* value_out);

// Writes the parameters of a kernel node; what they point to lives as long as the node is not
// changed.
cudaError_t CUDARTAPI cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                   struct cudaKernelNodeParams* pNodeParams);

// Sets an attribute of a kernel node.
cudaError_t CUDARTAPI cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode,
                                                      cudaKernelNodeAttrID attr,
                                                      const cudaKernelNodeAttrValue* value);

// Sets the parameters of a kernel node.
cudaError_t CUDARTAPI cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaKernelNodeParams* pNodeParams);

#ifdef __cplusplus
}
#endif
