// SPDX-License-Identifier: Apache-2.0
// Capture: work that is submitted to a stream becomes a graph.
//
// Reference: CUDA Runtime API, "Stream Management".
#pragma once

#include "error_types.h"
#include "graph_types.h"
#include "handle_types.h"
#include "stream_types.h"
#include "version_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

// The exported symbol that each of these names expands to in CUDA 12.
#if CUVETTE_CUDART_MAJOR == 12
#define cudaStreamGetCaptureInfo __CUDART_API_PTSZ(cudaStreamGetCaptureInfo_v2)
#endif

// These have a per-thread twin.
#if defined(__CUDART_API_PER_THREAD_DEFAULT_STREAM)
#define cudaStreamBeginCapture __CUDART_API_PTSZ(cudaStreamBeginCapture)
#define cudaStreamBeginCaptureToGraph __CUDART_API_PTSZ(cudaStreamBeginCaptureToGraph)
#define cudaStreamEndCapture __CUDART_API_PTSZ(cudaStreamEndCapture)
#define cudaStreamIsCapturing __CUDART_API_PTSZ(cudaStreamIsCapturing)
#define cudaStreamUpdateCaptureDependencies __CUDART_API_PTSZ(cudaStreamUpdateCaptureDependencies)
#if CUVETTE_CUDART_MAJOR >= 13
#define cudaStreamGetCaptureInfo __CUDART_API_PTSZ(cudaStreamGetCaptureInfo)
#endif
#if CUVETTE_CUDART_MAJOR == 12
#define cudaStreamGetCaptureInfo_v2 __CUDART_API_PTSZ(cudaStreamGetCaptureInfo_v2)
#define cudaStreamGetCaptureInfo_v3 __CUDART_API_PTSZ(cudaStreamGetCaptureInfo_v3)
#define cudaStreamUpdateCaptureDependencies_v2 \
  __CUDART_API_PTSZ(cudaStreamUpdateCaptureDependencies_v2)
#endif
#endif

// Begins to capture: from here on work submitted to the stream becomes a graph. Not for the legacy
// default stream: cudaErrorStreamCaptureUnsupported.
cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);

// As cudaStreamBeginCapture, into an existing graph, after the given nodes of it.
cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                    const cudaGraphNode_t* dependencies,
                                                    const cudaGraphEdgeData* dependencyData,
                                                    size_t numDependencies,
                                                    enum cudaStreamCaptureMode mode);

// Ends a capture and writes the graph, which the caller then owns; null, and an error, if the
// capture was invalidated or a forked stream was not joined.
cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph);

// Writes the capture's state, number, graph, and the nodes that the next one will depend on. All
// but the state may be null. Without edgeData_out, cudaErrorLossyQuery if an edge is not an
// ordinary one.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the name expands to the second version, without edge data.
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v2(
    cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out CUVETTE_DEFAULT(0), cudaGraph_t* graph_out CUVETTE_DEFAULT(0),
    const cudaGraphNode_t** dependencies_out CUVETTE_DEFAULT(0),
    size_t* numDependencies_out CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v3(
    cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out CUVETTE_DEFAULT(0), cudaGraph_t* graph_out CUVETTE_DEFAULT(0),
    const cudaGraphNode_t** dependencies_out CUVETTE_DEFAULT(0),
    const cudaGraphEdgeData** edgeData_out CUVETTE_DEFAULT(0),
    size_t* numDependencies_out CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out CUVETTE_DEFAULT(0), cudaGraph_t* graph_out CUVETTE_DEFAULT(0),
    const cudaGraphNode_t** dependencies_out CUVETTE_DEFAULT(0),
    const cudaGraphEdgeData** edgeData_out CUVETTE_DEFAULT(0),
    size_t* numDependencies_out CUVETTE_DEFAULT(0));
#endif

// Writes whether the stream is being captured. cudaErrorStreamCaptureImplicit for the legacy
// default stream while a blocking one is.
cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream,
                                            enum cudaStreamCaptureStatus* pCaptureStatus);

// Adds to, or replaces, the nodes that the next captured one will depend on; flags say which.
#if CUVETTE_CUDART_MAJOR == 12
// CUDA 12: the first is without edge data.
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                          cudaGraphNode_t* dependencies,
                                                          size_t numDependencies,
                                                          unsigned int flags CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies_v2(
    cudaStream_t stream, cudaGraphNode_t* dependencies, const cudaGraphEdgeData* dependencyData,
    size_t numDependencies, unsigned int flags CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                          cudaGraphNode_t* dependencies,
                                                          const cudaGraphEdgeData* dependencyData,
                                                          size_t numDependencies,
                                                          unsigned int flags CUVETTE_DEFAULT(0));
#endif

// Sets this thread's capture mode and writes the one before.
cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* mode);

#if defined(__CUDA_API_VERSION_INTERNAL)
#undef cudaStreamBeginCapture
#undef cudaStreamBeginCaptureToGraph
#undef cudaStreamEndCapture
#undef cudaStreamGetCaptureInfo
#undef cudaStreamIsCapturing
#undef cudaStreamUpdateCaptureDependencies
#undef cudaStreamGetCaptureInfo_v2
#undef cudaStreamGetCaptureInfo_v3
#undef cudaStreamUpdateCaptureDependencies_v2

// The twins with the legacy default stream.
cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                    const cudaGraphNode_t* dependencies,
                                                    const cudaGraphEdgeData* dependencyData,
                                                    size_t numDependencies,
                                                    enum cudaStreamCaptureMode mode);
cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph);
#if CUVETTE_CUDART_MAJOR == 12
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v2(
    cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out CUVETTE_DEFAULT(0), cudaGraph_t* graph_out CUVETTE_DEFAULT(0),
    const cudaGraphNode_t** dependencies_out CUVETTE_DEFAULT(0),
    size_t* numDependencies_out CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_v3(
    cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out CUVETTE_DEFAULT(0), cudaGraph_t* graph_out CUVETTE_DEFAULT(0),
    const cudaGraphNode_t** dependencies_out CUVETTE_DEFAULT(0),
    const cudaGraphEdgeData** edgeData_out CUVETTE_DEFAULT(0),
    size_t* numDependencies_out CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
    unsigned long long* id_out CUVETTE_DEFAULT(0), cudaGraph_t* graph_out CUVETTE_DEFAULT(0),
    const cudaGraphNode_t** dependencies_out CUVETTE_DEFAULT(0),
    const cudaGraphEdgeData** edgeData_out CUVETTE_DEFAULT(0),
    size_t* numDependencies_out CUVETTE_DEFAULT(0));
#endif
cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream,
                                            enum cudaStreamCaptureStatus* pCaptureStatus);
#if CUVETTE_CUDART_MAJOR == 12
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                          cudaGraphNode_t* dependencies,
                                                          size_t numDependencies,
                                                          unsigned int flags CUVETTE_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies_v2(
    cudaStream_t stream, cudaGraphNode_t* dependencies, const cudaGraphEdgeData* dependencyData,
    size_t numDependencies, unsigned int flags CUVETTE_DEFAULT(0));
#else
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                          cudaGraphNode_t* dependencies,
                                                          const cudaGraphEdgeData* dependencyData,
                                                          size_t numDependencies,
                                                          unsigned int flags CUVETTE_DEFAULT(0));
#endif

#if CUVETTE_CUDART_MAJOR == 12
// Functions that CUDA 12 exports for programs of older versions.
// The version of before CUDA 11.3: state and number alone.
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t stream,
                                               enum cudaStreamCaptureStatus* captureStatus_out,
                                               unsigned long long* id_out);
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream,
                                                    enum cudaStreamCaptureStatus* captureStatus_out,
                                                    unsigned long long* id_out);
#endif
#endif

#ifdef __cplusplus
}
#endif
