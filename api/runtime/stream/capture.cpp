// SPDX-License-Identifier: Apache-2.0
// Captures: what is submitted to a stream becomes a graph.
//
// Reference: CUDA Runtime API, "Stream Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call([&] {
    return DRIVER(cuStreamBeginCapture)(driver_stream(stream),
                                        static_cast<CUstreamCaptureMode>(mode));
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* dependencyData,
                                          size_t numDependencies, cudaStreamCaptureMode mode) {
  return call([&] {
    return DRIVER(cuStreamBeginCaptureToGraph)(
        driver_stream(stream), graph, dependencies, same_layout<CUgraphEdgeData>(dependencyData),
        numDependencies, static_cast<CUstreamCaptureMode>(mode));
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  return call([&] { return DRIVER(cuStreamEndCapture)(driver_stream(stream), pGraph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
  return call_if(pCaptureStatus != nullptr, [&] {
    return DRIVER(cuStreamIsCapturing)(driver_stream(stream),
                                       same_layout<CUstreamCaptureStatus>(pCaptureStatus));
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&] {
    return DRIVER(cuThreadExchangeStreamCaptureMode)(same_layout<CUstreamCaptureMode>(mode));
  });
}
}
