// SPDX-License-Identifier: Apache-2.0
// C++ forms of the graph functions.
//
// Reference: CUDA Runtime API, "C++ API Routines".
#pragma once

#include "capture.h"
#include "graph.h"
#include "graph_exec.h"
#include "graph_memory_node.h"

// As cudaGraphInstantiate of before CUDA 12; the node and the text of an error are not written.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                               cudaGraphNode_t* pErrorNode, char* pLogBuffer,
                                               size_t bufferSize) {
  static_cast<void>(pErrorNode);
  static_cast<void>(pLogBuffer);
  static_cast<void>(bufferSize);
  return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}

#if CUVETTE_CUDART_MAJOR == 12

// CUDA 12 has one C++ name for the functions with and without edge data.
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to,
                                                   const cudaGraphEdgeData* edgeData,
                                                   size_t numDependencies) {
  return ::cudaGraphAddDependencies_v2(graph, from, to, edgeData, numDependencies);
}

static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                      const cudaGraphNode_t* from,
                                                      const cudaGraphNode_t* to,
                                                      const cudaGraphEdgeData* edgeData,
                                                      size_t numDependencies) {
  return ::cudaGraphRemoveDependencies_v2(graph, from, to, edgeData, numDependencies);
}

static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                            cudaGraphNode_t* to, cudaGraphEdgeData* edgeData,
                                            size_t* numEdges) {
  return ::cudaGraphGetEdges_v2(graph, from, to, edgeData, numEdges);
}

static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                       cudaGraphNode_t* pDependencies,
                                                       cudaGraphEdgeData* edgeData,
                                                       size_t* pNumDependencies) {
  return ::cudaGraphNodeGetDependencies_v2(node, pDependencies, edgeData, pNumDependencies);
}

static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                         cudaGraphNode_t* pDependentNodes,
                                                         cudaGraphEdgeData* edgeData,
                                                         size_t* pNumDependentNodes) {
  return ::cudaGraphNodeGetDependentNodes_v2(node, pDependentNodes, edgeData, pNumDependentNodes);
}

static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies,
                                           const cudaGraphEdgeData* dependencyData,
                                           size_t numDependencies,
                                           struct cudaGraphNodeParams* nodeParams) {
  return ::cudaGraphAddNode_v2(pGraphNode, graph, pDependencies, dependencyData, numDependencies,
                               nodeParams);
}

static inline cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t stream, cudaGraphNode_t* dependencies, const cudaGraphEdgeData* dependencyData,
    size_t numDependencies, unsigned int flags = 0) {
  return ::cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, dependencyData,
                                                  numDependencies, flags);
}

#endif

#if defined(__CUDACC__) || defined(__CUDA__)

// As cudaGraphExecUpdate of before CUDA 12. Both results may be null.
static inline cudaError_t CUDARTAPI
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphNode_t* hErrorNode_out,
                    enum cudaGraphExecUpdateResult* updateResult_out) {
  cudaGraphExecUpdateResultInfo info = {};
  const cudaError_t error = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
  if (hErrorNode_out != nullptr) *hErrorNode_out = info.errorNode;
  if (updateResult_out != nullptr) *updateResult_out = info.result;
  return error;
}

// Makes an object of the program's, made by new, one that graphs keep alive and delete.
template <class T>
static inline cudaError_t cudaUserObjectCreate(cudaUserObject_t* object_out, T* objectToWrap,
                                               unsigned int initialRefcount, unsigned int flags) {
  return ::cudaUserObjectCreate(
      object_out, objectToWrap, [](void* object) { delete static_cast<T*>(object); },
      initialRefcount, flags);
}

template <class T>
static inline cudaError_t cudaUserObjectCreate(cudaUserObject_t* object_out, T* objectToWrap,
                                               unsigned int initialRefcount,
                                               cudaUserObjectFlags flags) {
  return cudaUserObjectCreate(object_out, objectToWrap, initialRefcount,
                              static_cast<unsigned int>(flags));
}

// Copies to and from variables by their names.
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode,
                                                         cudaGraph_t graph,
                                                         const cudaGraphNode_t* pDependencies,
                                                         size_t numDependencies, const T& symbol,
                                                         const void* src, size_t count,
                                                         size_t offset, enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                          (const void*)&symbol, src, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
    size_t numDependencies, void* dst, const T& symbol, size_t count, size_t offset,
    enum cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(pGraphNode, graph, pDependencies, numDependencies, dst,
                                            (const void*)&symbol, count, offset, kind);
}

template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                               const T& symbol, const void* src,
                                                               size_t count, size_t offset,
                                                               enum cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void*)&symbol, src, count, offset,
                                                kind);
}

template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst,
                                                                 const T& symbol, size_t count,
                                                                 size_t offset,
                                                                 enum cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void*)&symbol, count, offset,
                                                  kind);
}

template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                                   cudaGraphNode_t node,
                                                                   const T& symbol, const void* src,
                                                                   size_t count, size_t offset,
                                                                   enum cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec, node, (const void*)&symbol, src,
                                                    count, offset, kind);
}

template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                                     cudaGraphNode_t node,
                                                                     void* dst, const T& symbol,
                                                                     size_t count, size_t offset,
                                                                     enum cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(hGraphExec, node, dst, (const void*)&symbol,
                                                      count, offset, kind);
}

#endif
