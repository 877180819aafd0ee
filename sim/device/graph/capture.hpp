// SPDX-License-Identifier: Apache-2.0
// Capture: builds a graph from streams. Work submitted to a captured stream becomes a node of it; a
// stream that waits for an event recorded in the capture joins it.
//
// Threads: any; graph_mutex guards everything. While no capture is under way in the process, an
// entry point pays one load.
// Invariants: a stream has a seat exactly while it is part of a capture; an invalid
// capture stays, and refuses work, until it is ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/device/graph/graph.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::device {

// CUstreamCaptureMode's numbers: which threads' unsafe calls a capture forbids.
enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };
enum class CaptureStatus : uint8_t { none = 0, active = 1, invalidated = 2 };

struct CapturedRecord;
struct CaptureSeat;

class Capture final : public Counted {
 public:
  // --- What entry points ask -------------------------------------------------------------------

  // Before work goes into `stream`: true if it must become a node instead, with add(). Errors:
  // stream_capture_invalidated; stream_capture_implicit for the legacy stream while a blocking one
  // of its context is captured; that capture becomes invalid.
  static Result<bool> takes(Stream& stream) {
    if (!under_way()) [[likely]]
      return false;
    return takes_now(stream);
  }

  // Before work that no graph can hold, and before queries about a captured stream's progress:
  // invalidates the capture. Errors: stream_capture_unsupported; as takes().
  static Result<> refuse_in(Stream& stream) {
    if (!under_way()) [[likely]]
      return {};
    return refuse_in_now(stream, false);
  }
  // The same for batches of copies, which leave the capture valid (measured).
  static Result<> refuse_and_keep(Stream& stream) {
    if (!under_way()) [[likely]]
      return {};
    return refuse_in_now(stream, true);
  }

  // Before a call that is unsafe during a capture, such as an allocation: the modes of the captures
  // and of the thread decide. Errors: stream_capture_unsupported, which invalidates the captures.
  static Result<> refuse_unsafe_call() {
    if (!under_way()) [[likely]]
      return {};
    return refuse_unsafe_call_now();
  }

  // Before a wait for a whole context. Errors: stream_capture_unsupported if one of its streams is
  // captured; that invalidates the capture.
  static Result<> refuse_in_context(Context& context) {
    if (!under_way()) [[likely]]
      return {};
    return refuse_in_context_now(context);
  }

  // After a call that failed with work for `stream`.
  static void spoil(Stream& stream) {
    if (under_way()) [[unlikely]]
      spoil_now(stream);
  }

  // --- Work ------------------------------------------------------------------------------------

  // Makes a node of work, after what the stream has captured. Errors: as takes().
  static Result<> add(Stream& stream, NodeType type, Work work);
  // Makes what the stream has captured the event's content.
  static Result<> record(Stream& stream, Event& event);
  // Before cuStreamWaitEvent waits: true if nothing is left to do. `external`: the wait is a node.
  // Errors: stream_capture_isolation for an event that was not recorded in the stream's capture,
  // stream_capture_merge for one of another capture, invalid_value for one of a capture that has
  // ended.
  static Result<bool> wait(Stream& stream, Event& event, bool external) {
    if (!under_way() && !event.captured()) [[likely]]
      return false;
    return wait_now(stream, event, external);
  }
  // Before a query of an event. Errors: captured_event, which with `harm` invalidates the capture;
  // invalid_value for an event recorded in a capture that is invalid or has ended (measured).
  static Result<> refuse_captured(Event& event, bool harm = true);

  // --- Begin and end ---------------------------------------------------------------------------

  // Errors: stream_capture_unsupported for the legacy stream, illegal_state for one that is
  // captured. `into`: an existing graph, continued after its nodes `after`; null: a new graph.
  static Result<> begin(Stream& stream, CaptureMode mode, Ref<Graph> into, Dependencies after);
  // Ends a capture and returns its graph. Errors: illegal_state if the stream is not captured,
  // stream_capture_unmatched if it did not begin it, stream_capture_wrong_thread,
  // stream_capture_invalidated, stream_capture_unjoined.
  static Result<Ref<Graph>> end(Stream& stream);
  // Takes a stream that goes away out of its capture. Its captured nodes stay and must still be
  // joined (measured). If it began the capture, the capture ends.
  static void abandon(Stream& stream);
  // Invalidates the captures that have a stream in a context that is torn down, and abandons those
  // streams.
  static void abandon(Context& context);

  // --- Questions -------------------------------------------------------------------------------

  struct Info {
    CaptureStatus status = CaptureStatus::none;
    uint64_t id = 0;
    Ref<Graph> graph;
    Dependencies dependencies;  // the next node's
  };
  // Errors: stream_capture_implicit for the legacy stream while a blocking one is captured; that
  // invalidates nothing.
  static Result<Info> info(Stream& stream);
  // Keeps what the C API has returned about `stream` until its next query or the capture's end.
  static void keep_answer(Stream& stream, Ref<Counted> answer);
  // Adds to, or replaces, what the next node depends on. Errors: illegal_state if the stream is not
  // captured, invalid_value for nodes of another graph.
  static Result<> update(Stream& stream, Dependencies dependencies, bool replace);

  // Sets the thread's mode and returns the one before.
  static CaptureMode exchange_mode(CaptureMode mode);

 private:
  Capture(Ref<Graph> graph, CaptureMode mode, Stream& origin);
  ~Capture() override = default;

  static bool under_way() { return under_way_.load(std::memory_order_relaxed) != 0; }
  static void spoil_now(Stream& stream);
  static Result<bool> takes_now(Stream& stream) EXCLUDES(graph_mutex);
  static Result<> refuse_in_now(Stream& stream, bool keep) EXCLUDES(graph_mutex);
  static Result<> refuse_unsafe_call_now() EXCLUDES(graph_mutex);
  static Result<> refuse_in_context_now(Context& context) EXCLUDES(graph_mutex);
  static Result<bool> wait_now(Stream& stream, Event& event, bool external) EXCLUDES(graph_mutex);
  static Result<bool> check(Stream& stream, bool harm) REQUIRES(graph_mutex);

  Result<> add_node(Stream& stream, NodeType type, Work work) REQUIRES(graph_mutex);
  // The stream's place in a capture; null if it is in none.
  static CaptureSeat* seat_of(Stream& stream) REQUIRES(graph_mutex);
  void seat(Stream& stream, Dependencies dependencies) REQUIRES(graph_mutex);
  bool joined() const REQUIRES(graph_mutex);
  // Takes the streams out of the capture and hands them over; the caller drops them without a lock.
  std::vector<Ref<Stream>> finish() REQUIRES(graph_mutex);

  static std::atomic<unsigned> under_way_;

  const Ref<Graph> graph_;
  const CaptureMode mode_;
  const uint64_t id_;
  const Thread* const thread_;
  Stream& origin_;
  bool valid_ = true, ended_ = false;
  std::vector<Ref<Stream>> streams_;  // the first is origin_
  std::vector<Dependencies> left_;    // the dependencies of streams that went away
};

// A stream's place in a capture.
struct CaptureSeat final : Counted {
  Ref<Capture> capture;
  Dependencies next;  // the dependencies of the next node
  Ref<Counted> answer;
};

// The nodes that an event recorded in a capture means.
struct CapturedRecord final : Counted {
  Ref<Capture> capture;
  Dependencies dependencies;
};

}  // namespace cuvette::device
