// SPDX-License-Identifier: Apache-2.0
// Stream capture: what becomes a graph, what is refused meanwhile, and what invalidates a capture.
#include <cuda.h>

#include <thread>

#include "tests/api/driver/gate.hpp"

// The versions of these functions that <cuda.h> does not name.
extern "C" {
CUresult begin_v1(CUstream) __asm__("cuStreamBeginCapture");
CUresult info_v1(CUstream, CUstreamCaptureStatus*, cuuint64_t*) __asm__("cuStreamGetCaptureInfo");
CUresult info_v2(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**,
                 size_t*) __asm__("cuStreamGetCaptureInfo_v2");
CUresult update_v1(CUstream, CUgraphNode*, size_t,
                   unsigned) __asm__("cuStreamUpdateCaptureDependencies");
}

namespace {

constexpr CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                         CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                         CU_STREAM_CAPTURE_MODE_RELAXED};

CUstreamCaptureStatus status_of(CUstream stream) {
  auto status = static_cast<CUstreamCaptureStatus>(99);
  EXPECT_EQ(cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
  return status;
}

// Three streams, and work to capture in them.
class Captures {
 public:
  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    EXPECT_EQ(cuStreamBeginCapture(stream, mode), CUDA_SUCCESS);
  }
  CUresult end() { return cuStreamEndCapture(stream, &graph); }
  CUresult fill(CUstream in) const { return cuMemsetD8Async(memory, 1, 16, in); }

  // The dependencies of a stream's next node.
  std::vector<CUgraphNode> next(CUstream of) const {
    auto status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode* nodes = nullptr;
    size_t count = 0;
    EXPECT_EQ(info_v2(of, &status, nullptr, nullptr, &nodes, &count), CUDA_SUCCESS);
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    return {nodes, nodes + count};
  }

  void fork(CUstream from, CUstream to) const {
    EXPECT_EQ(cuEventRecord(event, from), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(to, event, 0), CUDA_SUCCESS);
  }

  const Scene scene;
  const CUstream stream = new_stream(), other = new_stream();
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  const CUevent event = new_event();
  const CUdeviceptr memory = new_memory(4096);
  CUgraph graph = nullptr;
};

TEST(cuStreamBeginCapture, RunsNothing) {
  Captures c;
  OK(cuMemsetD8Async(c.memory, 7, 16, c.stream));
  OK(cuStreamSynchronize(c.stream));
  for (const CUstreamCaptureMode mode : modes) {
    c.begin(mode);
    OK(c.fill(c.stream));
    OK(cuLaunchHostFunc(
        c.stream, [](void*) { FAIL(); }, nullptr));
    OK(c.end());
    EXPECT_NE(c.graph, nullptr);
    OK(cuStreamSynchronize(c.stream));
    unsigned char byte = 0;
    OK(cuMemcpyDtoH_v2(&byte, c.memory, 1));
    EXPECT_EQ(byte, 7);
  }
}

// The version without a mode forbids unsafe calls in all threads.
TEST(cuStreamBeginCapture, WithoutAModeIsTheStrictest) {
  Captures c;
  OK(begin_v1(c.stream));
  std::thread([&] {
    OK(cuCtxSetCurrent(c.scene.context));
    CUdeviceptr memory;
    EXPECT_EQ(cuMemAlloc(&memory, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }).join();
  EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST(cuStreamBeginCapture, RefusesWhatCannotBeCaptured) {
  const Scene scene;
  const CUstream stream = new_stream();
  for (const CUstream legacy : {CUstream{}, CU_STREAM_LEGACY})
    EXPECT_EQ(cuStreamBeginCapture(legacy, CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  for (const int mode : {-1, 3, 99})
    EXPECT_EQ(cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode)),
              CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cuStreamBeginCapture(reinterpret_cast<CUstream>(0x12345670), CU_STREAM_CAPTURE_MODE_GLOBAL),
      CUDA_ERROR_INVALID_HANDLE);
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE) << "that harmed nothing";
  CUgraph graph;
  OK(cuStreamEndCapture(stream, &graph));
}

TEST(cuStreamBeginCapture, TakesTheThreadsOwnStream) {
  const Scene scene;
  OK(cuStreamBeginCapture(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(status_of(CU_STREAM_PER_THREAD), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraph graph;
  OK(cuStreamEndCapture(CU_STREAM_PER_THREAD, &graph));
}

TEST(cuStreamEndCapture, RefusesWhatIsNotCaptured) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUgraph graph = reinterpret_cast<CUgraph>(1);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(graph, nullptr);
  // Measured on an H200, through the runtime API.
  EXPECT_EQ(cuStreamEndCapture(stream, nullptr), CUDA_ERROR_ILLEGAL_STATE);
}

TEST(cuStreamEndCapture, NeedNotTellTheGraph) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUgraph given;
  OK(cuGraphCreate(&given, 0));
  OK(cuStreamBeginCaptureToGraph(stream, given, nullptr, nullptr, 0,
                                 CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  OK(cuLaunchHostFunc(
      stream, [](void*) {}, nullptr));
  OK(cuStreamEndCapture(stream, nullptr));
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
  size_t count = 0;
  OK(cuGraphGetNodes(given, nullptr, &count));
  EXPECT_EQ(count, 1u);
  OK(cuGraphDestroy(given));
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  OK(cuStreamEndCapture(stream, nullptr));
  EXPECT_EQ(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST(cuStreamEndCapture, EndsWhereItBegan) {
  Captures c;
  c.begin();
  c.fork(c.stream, c.other);
  EXPECT_EQ(status_of(c.other), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cuStreamEndCapture(c.other, &c.graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(status_of(c.other), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST(cuStreamEndCapture, EndsInItsThreadUnlessItIsRelaxed) {
  Captures c;
  for (const CUstreamCaptureMode mode : modes) {
    c.begin(mode);
    CUresult result = CUDA_SUCCESS;
    std::thread([&] {
      OK(cuCtxSetCurrent(c.scene.context));
      result = c.end();
    }).join();
    if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
      EXPECT_EQ(result, CUDA_SUCCESS);
      continue;
    }
    // The capture has ended nevertheless (measured).
    EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(c.end(), CUDA_ERROR_ILLEGAL_STATE);
  }
}

TEST(cuStreamEndCapture, MustBeJoined) {
  Captures c;
  c.begin();
  c.fork(c.stream, c.other);
  OK(c.fill(c.other));
  EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(c.graph, nullptr);
  EXPECT_EQ(status_of(c.other), CU_STREAM_CAPTURE_STATUS_NONE);

  // If the forked stream added nothing, it need not be joined.
  c.begin();
  OK(c.fill(c.stream));
  c.fork(c.stream, c.other);
  OK(c.fill(c.stream));
  OK(c.end());

  c.begin();
  c.fork(c.stream, c.other);
  OK(c.fill(c.other));
  c.fork(c.other, c.stream);
  OK(c.end());

  // Joined by way of a third stream.
  c.begin();
  c.fork(c.stream, c.other);
  OK(c.fill(c.other));
  c.fork(c.other, c.blocking);
  OK(c.fill(c.blocking));
  c.fork(c.blocking, c.stream);
  OK(c.end());
}

TEST(cuStreamBeginCapture, RefusesQuestions) {
  Captures c;
  const auto expect_invalid = [&] {
    EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    EXPECT_EQ(c.fill(c.stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  };
  c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuStreamQuery(c.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_invalid();
  c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuStreamSynchronize(c.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_invalid();
  c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_invalid();
  c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  OK(cuEventRecord(c.event, c.stream));
  EXPECT_EQ(cuEventQuery(c.event), CUDA_ERROR_CAPTURED_EVENT);
  expect_invalid();
  c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  OK(cuEventRecord(c.event, c.stream));
  EXPECT_EQ(cuEventSynchronize(c.event), CUDA_ERROR_CAPTURED_EVENT);
  expect_invalid();
  c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuStreamAddCallback(
                c.stream, [](CUstream, CUresult, void*) {}, nullptr, 0),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_invalid();
}

// Measured: after a capture has ended, its events are invalid until they are recorded again.
TEST(cuStreamEndCapture, LeavesEventsBehind) {
  Captures c;
  c.begin();
  OK(cuEventRecord(c.event, c.stream));
  OK(c.end());
  EXPECT_EQ(cuEventQuery(c.event), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitEvent(c.other, c.event, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuEventRecord(c.event, c.other));
  OK(cuEventSynchronize(c.event));
  OK(cuStreamWaitEvent(c.stream, c.event, 0));
}

TEST(cuStreamWaitEvent, RefusesAnEventOfAnInvalidCapture) {
  Captures c;
  c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  OK(cuEventRecord(c.event, c.stream));
  EXPECT_EQ(cuStreamQuery(c.stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamWaitEvent(c.other, c.event, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuStreamWaitEvent(c.other, c.event, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamBeginCapture, IsIsolated) {
  Captures c;
  OK(cuEventRecord(c.event, c.other));
  c.begin();
  EXPECT_EQ(cuStreamWaitEvent(c.stream, c.event, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  const CUevent never_recorded = new_event();
  c.begin();
  OK(cuStreamWaitEvent(c.stream, never_recorded, 0));
  EXPECT_TRUE(c.next(c.stream).empty());
  OK(c.end());
}

TEST(cuStreamBeginCapture, DoesNotMerge) {
  Captures c;
  c.begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  OK(cuStreamBeginCapture(c.other, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  OK(cuEventRecord(c.event, c.other));
  EXPECT_EQ(cuStreamWaitEvent(c.stream, c.event, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  CUgraph graph;
  EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuStreamEndCapture(c.other, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST(cuStreamBeginCapture, ForbidsTheLegacyStreamIfItIsBlocking) {
  Captures c;
  // "operation would make the legacy stream depend on a capturing blocking stream"
  const std::vector<std::function<CUresult()>> calls = {
      [&] { return c.fill(nullptr); },
      [&] { return cuMemcpyDtoD_v2(c.memory, c.memory + 64, 16); },
      [&] { return cuEventRecord(c.event, CU_STREAM_LEGACY); },
      [&] { return cuStreamWaitEvent(nullptr, new_event(), 0); },
      [&] {
        return cuLaunchHostFunc(
            nullptr, [](void*) {}, nullptr);
      },
      [&] { return cuStreamQuery(nullptr); },
      [&] { return cuStreamSynchronize(nullptr); },
  };
  for (const auto& call : calls) {
    OK(cuStreamBeginCapture(c.blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    auto status = CU_STREAM_CAPTURE_STATUS_NONE;
    EXPECT_EQ(cuStreamIsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(status_of(c.blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE) << "asking harms nothing";
    EXPECT_EQ(call(), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(cuStreamEndCapture(c.blocking, &c.graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    c.begin(CU_STREAM_CAPTURE_MODE_RELAXED);  // the stream is non-blocking
    const CUresult result = call();
    EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) << result;
    OK(c.end());
  }
}

// Which calls are forbidden in which thread, depending on the modes of the capture and the thread.
TEST(cuThreadExchangeStreamCaptureMode, DecidesWithTheCapturesModeWhatIsForbidden) {
  Captures c;
  const CUevent recorded = new_event();
  OK(cuEventRecord(recorded, c.other));
  OK(cuEventSynchronize(recorded));
  for (const CUstreamCaptureMode capture : modes)
    for (const CUstreamCaptureMode own : modes)
      for (const bool same_thread : {true, false}) {
        const bool forbidden =
            own != CU_STREAM_CAPTURE_MODE_RELAXED && capture != CU_STREAM_CAPTURE_MODE_RELAXED &&
            (same_thread ||
             (own == CU_STREAM_CAPTURE_MODE_GLOBAL && capture == CU_STREAM_CAPTURE_MODE_GLOBAL));
        const CUresult answer = forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
        c.begin(capture);
        const auto call = [&] {
          OK(cuCtxSetCurrent(c.scene.context));
          CUstreamCaptureMode mode = own;
          OK(cuThreadExchangeStreamCaptureMode(&mode));
          EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
          CUdeviceptr memory = 5;
          EXPECT_EQ(cuMemAlloc(&memory, 64), answer);
          EXPECT_EQ(memory == 5, forbidden) << "measured: it keeps its value";
          void* host = nullptr;
          EXPECT_EQ(cuMemAllocHost(&host, 64), answer);
          EXPECT_EQ(cuEventQuery(recorded), answer);
          if (!forbidden) {
            OK(cuMemFree(memory));
            OK(cuMemFreeHost(host));
          }
          OK(cuThreadExchangeStreamCaptureMode(&mode));
          EXPECT_EQ(mode, own);
        };
        if (same_thread) {
          call();
        } else {
          std::thread(call).join();
        }
        EXPECT_EQ(c.end(), forbidden ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS);
      }
}

TEST(cuThreadExchangeStreamCaptureMode, KeepsAnyNumber) {
  const Scene scene;
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(nullptr), CUDA_ERROR_INVALID_VALUE);
  // As an H200 does.
  auto mode = static_cast<CUstreamCaptureMode>(3);
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, static_cast<CUstreamCaptureMode>(3));
}

TEST(cuStreamIsCapturing, TellsTheState) {
  Captures c;
  EXPECT_EQ(cuStreamIsCapturing(c.stream, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_NONE);
  c.begin();
  EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(status_of(c.other), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(status_of(nullptr), CU_STREAM_CAPTURE_STATUS_NONE) << "the stream is non-blocking";
  CUdeviceptr memory;
  EXPECT_EQ(cuMemAlloc(&memory, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(c.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(status_of(c.stream), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST(cuStreamGetCaptureInfo, TellsWhatTheNextNodeComesAfter) {
  Captures c;
  auto status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  cuuint64_t id = 0, same = 0, other = 0;
  CUgraph graph = nullptr;
  EXPECT_EQ(info_v1(c.stream, nullptr, &id), CUDA_ERROR_INVALID_VALUE);
  OK(info_v1(c.stream, &status, &id));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  c.begin();
  OK(info_v1(c.stream, &status, &id));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_TRUE(c.next(c.stream).empty());
  OK(c.fill(c.stream));
  const auto first = c.next(c.stream);
  ASSERT_EQ(first.size(), 1u);
  c.fork(c.stream, c.other);
  EXPECT_EQ(c.next(c.other), first);
  OK(c.fill(c.other));
  OK(c.fill(c.stream));
  const auto left = c.next(c.stream), right = c.next(c.other);
  EXPECT_NE(left, first);
  EXPECT_NE(left, right);
  c.fork(c.other, c.stream);
  EXPECT_EQ(c.next(c.stream), (std::vector{left[0], right[0]}));
  c.fork(c.other, c.stream);
  EXPECT_EQ(c.next(c.stream).size(), 2u) << "once is enough";
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  size_t count = 0;
  OK(cuStreamGetCaptureInfo(c.stream, &status, &same, &graph, &nodes, &edges, &count));
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(edges[1].type, 0);
  EXPECT_EQ(same, id);
  OK(c.end());
  EXPECT_EQ(c.graph, graph);
  c.begin();
  OK(info_v1(c.stream, &status, &other));
  EXPECT_NE(other, id);
  OK(c.end());
}

TEST(cuStreamUpdateCaptureDependencies, AddsAndReplaces) {
  Captures c;
  EXPECT_EQ(update_v1(c.stream, nullptr, 0, 0), CUDA_ERROR_ILLEGAL_STATE);
  c.begin();
  OK(c.fill(c.stream));
  const CUgraphNode first = c.next(c.stream)[0];
  OK(c.fill(c.stream));
  const CUgraphNode second = c.next(c.stream)[0];
  CUgraphNode nodes[] = {first, second};
  OK(update_v1(c.stream, nodes, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  EXPECT_EQ(c.next(c.stream), (std::vector{second, first}));
  OK(cuStreamUpdateCaptureDependencies(c.stream, nodes, nullptr, 1,
                                       CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  EXPECT_EQ(c.next(c.stream), std::vector{first});
  CUgraphEdgeData edge = {};
  OK(cuStreamUpdateCaptureDependencies(c.stream, nodes, &edge, 1, 0));
  edge.reserved[2] = 1;
  EXPECT_EQ(cuStreamUpdateCaptureDependencies(c.stream, nodes, &edge, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(update_v1(c.stream, nodes, 1, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(update_v1(c.stream, nullptr, 1, 0), CUDA_ERROR_INVALID_VALUE);
  CUgraphNode nothing = reinterpret_cast<CUgraphNode>(0x1230);
  EXPECT_EQ(update_v1(c.stream, &nothing, 1, 0), CUDA_ERROR_INVALID_VALUE);
  // "Nodes that are removed from the dependency set via this API do not result in
  // CUDA_ERROR_STREAM_CAPTURE_UNJOINED": `second` has no successor.
  OK(c.end());
}

// The graph and the stream may be gone; other streams no longer depend on them.
TEST(cuStreamDestroy, EndsTheCapture) {
  Captures c;
  c.begin();
  c.fork(c.stream, c.other);
  OK(c.fill(c.other));
  OK(cuStreamDestroy(c.stream));
  EXPECT_EQ(status_of(c.other), CU_STREAM_CAPTURE_STATUS_NONE);
  OK(c.fill(c.other));
  OK(cuStreamSynchronize(c.other));
}

// Measured on an H200: the nodes that a destroyed forked stream captured stay, and must be joined.
TEST(cuStreamDestroy, LeavesTheCaptureThatAStreamCameInto) {
  Captures c;
  const auto come_in = [&](bool works) {
    const CUstream in = new_stream();
    OK(cuStreamBeginCapture(c.blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    c.fork(c.blocking, in);
    if (works) {
      OK(c.fill(in));
    }
    OK(cuEventRecord(c.event, in));
    OK(cuStreamDestroy(in));
    EXPECT_EQ(status_of(c.blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(c.fill(c.blocking));
  };
  const auto nodes = [&] {
    size_t count = 0;
    EXPECT_EQ(cuGraphGetNodes(c.graph, nullptr, &count), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphDestroy(c.graph), CUDA_SUCCESS);
    return count;
  };
  come_in(false);
  OK(cuStreamEndCapture(c.blocking, &c.graph));
  EXPECT_EQ(nodes(), 1u);
  come_in(true);
  EXPECT_EQ(cuStreamEndCapture(c.blocking, &c.graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  come_in(true);
  OK(cuStreamWaitEvent(c.blocking, c.event, 0));
  OK(cuStreamEndCapture(c.blocking, &c.graph));
  EXPECT_EQ(nodes(), 2u);
}

TEST(cuCtxDestroy, EndsCapturesInIt) {
  const Scene scene;
  CUcontext context;
  OK(cuCtxCreate(&context, nullptr, 0, 0));
  const CUstream stream = new_stream();
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(cuCtxDestroy(context));
  OK(cuCtxSetCurrent(scene.context));
  OK(cuMemFree(new_memory(64)));  // no capture forbids this call
}

}  // namespace
