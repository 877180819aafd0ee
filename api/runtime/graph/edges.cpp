// SPDX-License-Identifier: Apache-2.0
// Edges of graphs with their data. CUDA 12's functions without data are in cuda_12/.
//
// Reference: CUDA Runtime API, "Graph Management".
#include "api/runtime/abi.hpp"
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t LATEST(cudaGraphAddDependencies,
                   _v2)(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                        const cudaGraphEdgeData* edgeData, size_t numDependencies) {
  return call([&] {
    return DRIVER(cuGraphAddDependencies)(graph, from, to, same_layout<CUgraphEdgeData>(edgeData),
                                          numDependencies);
  });
}

cudaError_t LATEST(cudaGraphRemoveDependencies,
                   _v2)(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                        const cudaGraphEdgeData* edgeData, size_t numDependencies) {
  return call([&] {
    return DRIVER(cuGraphRemoveDependencies)(
        graph, from, to, same_layout<CUgraphEdgeData>(edgeData), numDependencies);
  });
}

cudaError_t LATEST(cudaGraphGetEdges, _v2)(cudaGraph_t graph, cudaGraphNode_t* from,
                                           cudaGraphNode_t* to, cudaGraphEdgeData* edgeData,
                                           size_t* numEdges) {
  return call([&] {
    return DRIVER(cuGraphGetEdges)(graph, from, to, same_layout<CUgraphEdgeData>(edgeData),
                                   numEdges);
  });
}

cudaError_t LATEST(cudaGraphNodeGetDependencies,
                   _v2)(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                        cudaGraphEdgeData* edgeData, size_t* pNumDependencies) {
  return call([&] {
    return DRIVER(cuGraphNodeGetDependencies)(
        node, pDependencies, same_layout<CUgraphEdgeData>(edgeData), pNumDependencies);
  });
}

cudaError_t LATEST(cudaGraphNodeGetDependentNodes,
                   _v2)(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                        cudaGraphEdgeData* edgeData, size_t* pNumDependentNodes) {
  return call([&] {
    return DRIVER(cuGraphNodeGetDependentNodes)(
        node, pDependentNodes, same_layout<CUgraphEdgeData>(edgeData), pNumDependentNodes);
  });
}

cudaError_t LATEST(cudaStreamGetCaptureInfo,
                   _v3)(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                        unsigned long long* id_out, cudaGraph_t* graph_out,
                        const cudaGraphNode_t** dependencies_out,
                        const cudaGraphEdgeData** edgeData_out, size_t* numDependencies_out) {
  return call_if(captureStatus_out != nullptr, [&] {
    return DRIVER(cuStreamGetCaptureInfo)(
        driver_stream(stream), same_layout<CUstreamCaptureStatus>(captureStatus_out),
        same_layout<cuuint64_t>(id_out), graph_out, dependencies_out,
        same_layout<const CUgraphEdgeData*>(edgeData_out), numDependencies_out);
  });
}

cudaError_t LATEST(cudaStreamUpdateCaptureDependencies,
                   _v2)(cudaStream_t stream, cudaGraphNode_t* dependencies,
                        const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                        unsigned int flags) {
  return call([&] {
    return DRIVER(cuStreamUpdateCaptureDependencies)(driver_stream(stream), dependencies,
                                                     same_layout<CUgraphEdgeData>(dependencyData),
                                                     numDependencies, flags);
  });
}
}
