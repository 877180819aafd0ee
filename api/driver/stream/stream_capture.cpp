// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/graph/graph_handles.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/graph/capture.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::Capture;

namespace {

Result<device::CaptureMode> capture_mode(CUstreamCaptureMode mode) {
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return refuse(Error::invalid_value, "%d is not a capture mode.", static_cast<int>(mode));
  return static_cast<device::CaptureMode>(mode);
}

[[gnu::always_inline]] inline CUresult begin(CUstream hStream, CUstreamCaptureMode mode) {
  return call<CUresult>([&]() -> Result<> {
    const device::CaptureMode capture = TRY(capture_mode(mode));
    return Capture::begin(*TRY(find_usable(hStream)), capture, nullptr, {});
  });
}

// An answer about a stream stays valid "until the next API call that operates on the stream or
// until end of capture".
struct Answer final : Counted {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> edges;
};

struct Questions {
  CUstreamCaptureStatus* status = nullptr;
  cuuint64_t* id = nullptr;
  CUgraph* graph = nullptr;
  const CUgraphNode** dependencies = nullptr;
  const CUgraphEdgeData** edges = nullptr;
  size_t* count = nullptr;
};

Result<> tell_about(CUstream hStream, const Questions& asked) {
  TRY(check_context_for(hStream));
  if (!asked.status)
    return refuse(Error::invalid_value, "The output pointer for the status is null.");
  const auto stream = TRY(find_usable(hStream));
  const Capture::Info info = TRY(Capture::info(*stream));
  auto answer = make_ref<Answer>();
  if (info.status == device::CaptureStatus::active) {
    MutexLock lock(device::graph_mutex);
    for (const device::Dependency& dependency : info.dependencies) {
      // "If any edges have non-zero (non-default) edge data and edgeData_out is NULL, this API will
      // return CUDA_ERROR_LOSSY_QUERY."
      if (asked.dependencies && !asked.edges && !dependency.kind.ordinary())
        return refuse(Error::lossy_query, "An edge has edge data; pass an array for it.");
      answer->nodes.push_back(TRY(give_handle(*dependency.node)));
      answer->edges.push_back(edge_data(dependency.kind));
    }
    if (asked.graph) *asked.graph = TRY(give_handle(*info.graph));
  }
  *asked.status = static_cast<CUstreamCaptureStatus>(info.status);
  if (info.status != device::CaptureStatus::active) return {};
  if (asked.id) *asked.id = info.id;
  if (asked.dependencies) *asked.dependencies = answer->nodes.data();
  if (asked.edges) *asked.edges = answer->edges.data();
  if (asked.count) *asked.count = answer->nodes.size();
  Capture::keep_answer(*stream, answer);
  return {};
}

[[gnu::always_inline]] inline CUresult tell(CUstream hStream, const Questions& asked) {
  return call<CUresult>([&] { return tell_about(hStream, asked); });
}

[[gnu::always_inline]] inline CUresult update(CUstream hStream, const CUgraphNode* dependencies,
                                              const CUgraphEdgeData* edges, size_t count,
                                              unsigned flags) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
      return refuse(Error::invalid_value,
                    "Flags 0x%x are not one of CUstreamUpdateCaptureDependencies_flags.", flags);
    return Capture::update(*stream, TRY(dependencies_of(dependencies, edges, count)),
                           flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  });
}

}  // namespace

extern "C" {

// The version from before there were modes uses the strictest one.
CUresult cuStreamBeginCapture(CUstream hStream) {
  return begin(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return begin(hStream, mode);
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    auto graph = TRY(find(hGraph));
    auto after = TRY(dependencies_of(dependencies, dependencyData, numDependencies));
    const auto capture = TRY(capture_mode(mode));
    return Capture::begin(*stream, capture, std::move(graph), std::move(after));
  });
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_context_for(hStream));
    if (phGraph) *phGraph = nullptr;
    const auto stream = TRY(find_usable(hStream));
    // Measured: without a place for it the graph is dropped, unless the program has it already.
    const auto graph = TRY(Capture::end(*stream));
    if (!phGraph) return {};
    MutexLock lock(device::graph_mutex);
    *phGraph = TRY(give_handle(*graph));
    return {};
  });
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return tell(hStream, {.status = captureStatus});
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                cuuint64_t* id_out) {
  return tell(hStream, {.status = captureStatus_out, .id = id_out});
}
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return tell(hStream, {.status = captureStatus_out,
                        .id = id_out,
                        .graph = graph_out,
                        .dependencies = dependencies_out,
                        .count = numDependencies_out});
}
CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out,
                                   size_t* numDependencies_out) {
  return tell(hStream, {.status = captureStatus_out,
                        .id = id_out,
                        .graph = graph_out,
                        .dependencies = dependencies_out,
                        .edges = edgeData_out,
                        .count = numDependencies_out});
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode* dependencies,
                                           size_t numDependencies, unsigned int flags) {
  return update(hStream, dependencies, nullptr, numDependencies, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* dependencyData,
                                              size_t numDependencies, unsigned int flags) {
  return update(hStream, dependencies, dependencyData, numDependencies, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return call<CUresult>([&]() -> Result<> {
    if (!mode) return refuse(Error::invalid_value, "The pointer to the mode is null.");
    // Measured: the driver keeps any number. Only the relaxed mode allows unsafe calls.
    *mode = static_cast<CUstreamCaptureMode>(
        Capture::exchange_mode(static_cast<device::CaptureMode>(*mode)));
    return {};
  });
}

}  // extern "C"
