// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes of work and the edges between them.
//
// Reference: CUDA Runtime API, "Graph Management".
#pragma once

#include "error_types.h"
#include "graph_node_types.h"
#include "graph_types.h"
#include "handle_types.h"
#include "stream_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// Writes how much memory graphs have on a device, in bytes.
cudaError_t CUDARTAPI cudaDeviceGetGraphMemAttribute(int device,
                                                     enum cudaGraphMemAttributeType attr,
                                                     void* value);

// Gives memory that no graph uses back to the system.
cudaError_t CUDARTAPI cudaDeviceGraphMemTrim(int device);

// Sets a high mark back to 0.
cudaError_t CUDARTAPI cudaDeviceSetGraphMemAttribute(int device,
                                                     enum cudaGraphMemAttributeType attr,
                                                     void* value);

// Adds edges: each from[i] before to[i]. edgeData may be null for ordinary ones.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first is without edge data.
cudaError_t CUDARTAPI cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to, size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to,
                                                  const cudaGraphEdgeData* edgeData,
                                                  size_t numDependencies);
#else
cudaError_t CUDARTAPI cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to,
                                               const cudaGraphEdgeData* edgeData,
                                               size_t numDependencies);
#endif

// Adds a node of any kind after the given ones. dependencyData may be null for ordinary edges.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first is without edge data.
cudaError_t CUDARTAPI cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                       struct cudaGraphNodeParams* nodeParams);
cudaError_t CUDARTAPI cudaGraphAddNode_v2(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t* pDependencies,
                                          const cudaGraphEdgeData* dependencyData,
                                          size_t numDependencies,
                                          struct cudaGraphNodeParams* nodeParams);
#else
cudaError_t CUDARTAPI cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t* pDependencies,
                                       const cudaGraphEdgeData* dependencyData,
                                       size_t numDependencies,
                                       struct cudaGraphNodeParams* nodeParams);
#endif

// Copies a graph with the graphs in it.
cudaError_t CUDARTAPI cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph);

// Creates the value that a conditional node of this graph looks at. With cudaGraphCondAssignDefault
// each launch begins with defaultLaunchValue.
cudaError_t CUDARTAPI cudaGraphConditionalHandleCreate(
    cudaGraphConditionalHandle* pHandle_out, cudaGraph_t graph,
    unsigned int defaultLaunchValue CUVETTE_DEFAULT(0), unsigned int flags CUVETTE_DEFAULT(0));

// Creates an empty graph. flags must be 0.
cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags);

// Writes the graph to a file in the language of Graphviz; flags are cudaGraphDebugDotFlags.
cudaError_t CUDARTAPI cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path,
                                             unsigned int flags);

// Destroys a graph with its nodes; what was instantiated from it stays.
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph);

// Removes a node and its edges.
cudaError_t CUDARTAPI cudaGraphDestroyNode(cudaGraphNode_t node);

// Writes the edges, at most *numEdges, and their number. from and to may be null to ask for the
// number. Without edgeData, cudaErrorLossyQuery if an edge is not an ordinary one.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first is without edge data.
cudaError_t CUDARTAPI cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                        cudaGraphNode_t* to, size_t* numEdges);
cudaError_t CUDARTAPI cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from,
                                           cudaGraphNode_t* to, cudaGraphEdgeData* edgeData,
                                           size_t* numEdges);
#else
cudaError_t CUDARTAPI cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                        cudaGraphNode_t* to, cudaGraphEdgeData* edgeData,
                                        size_t* numEdges);
#endif

// Writes the nodes, at most *numNodes, and their number. nodes may be null to ask for the number.
cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                        size_t* numNodes);

// As cudaGraphGetNodes, for the nodes that depend on no other.
cudaError_t CUDARTAPI cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes,
                                            size_t* pNumRootNodes);

// Writes the node of a copy that was made of a node.
cudaError_t CUDARTAPI cudaGraphNodeFindInClone(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode,
                                               cudaGraph_t clonedGraph);

// As cudaGraphGetNodes, for those on which a node depends. Without edgeData, cudaErrorLossyQuery if
// an edge is not an ordinary one.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first is without edge data.
cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                   cudaGraphNode_t* pDependencies,
                                                   size_t* pNumDependencies);
cudaError_t CUDARTAPI cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node,
                                                      cudaGraphNode_t* pDependencies,
                                                      cudaGraphEdgeData* edgeData,
                                                      size_t* pNumDependencies);
#else
cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                   cudaGraphNode_t* pDependencies,
                                                   cudaGraphEdgeData* edgeData,
                                                   size_t* pNumDependencies);
#endif

// As cudaGraphNodeGetDependencies, for the nodes that depend on a node.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first is without edge data.
cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                     cudaGraphNode_t* pDependentNodes,
                                                     size_t* pNumDependentNodes);
cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                                        cudaGraphNode_t* pDependentNodes,
                                                        cudaGraphEdgeData* edgeData,
                                                        size_t* pNumDependentNodes);
#else
cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                     cudaGraphNode_t* pDependentNodes,
                                                     cudaGraphEdgeData* edgeData,
                                                     size_t* pNumDependentNodes);
#endif

// Writes the kind of a node.
cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* pType);

// Sets the parameters of a node of any kind; the kind stays.
cudaError_t CUDARTAPI cudaGraphNodeSetParams(cudaGraphNode_t node,
                                             struct cudaGraphNodeParams* nodeParams);

// Gives count references back that the graph holds.
cudaError_t CUDARTAPI cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                 unsigned int count CUVETTE_DEFAULT(1));

// Removes edges. cudaErrorInvalidValue if one is not there.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first is without edge data.
cudaError_t CUDARTAPI cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to,
                                                  size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to,
                                                     const cudaGraphEdgeData* edgeData,
                                                     size_t numDependencies);
#else
cudaError_t CUDARTAPI cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to,
                                                  const cudaGraphEdgeData* edgeData,
                                                  size_t numDependencies);
#endif

// Makes the graph hold count references; with cudaGraphUserObjectMove they are the caller's.
cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                unsigned int count CUVETTE_DEFAULT(1),
                                                unsigned int flags CUVETTE_DEFAULT(0));

// Creates an object. A thread of the driver calls destroy(ptr) when the last reference is gone.
// flags are cudaUserObjectNoDestructorSync: it cannot be waited for.
cudaError_t CUDARTAPI cudaUserObjectCreate(cudaUserObject_t* object_out, void* ptr,
                                           cudaHostFn_t destroy, unsigned int initialRefcount,
                                           unsigned int flags);

// Gives count references back.
cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t object,
                                            unsigned int count CUVETTE_DEFAULT(1));

// Takes count references more.
cudaError_t CUDARTAPI cudaUserObjectRetain(cudaUserObject_t object,
                                           unsigned int count CUVETTE_DEFAULT(1));

#ifdef __cplusplus
}
#endif
