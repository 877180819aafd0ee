// SPDX-License-Identifier: Apache-2.0
// Capture: a graph in the making. What is submitted to a stream that is captured becomes a node of
// it; waiting for an event that was recorded in it takes another stream into it.
//
// Threads: any; everything is guarded by graph_mutex. Where no capture is under way in the process,
// an entry point pays one load.
// Invariants: a stream has a seat exactly while it is part of a capture; a capture that is invalid
// stays, and refuses, until it is ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/graph/graph.hpp"
#include "sim/stream/event.hpp"
#include "sim/stream/stream.hpp"
#include "sim/stream/thread.hpp"

namespace cuvette::device {

// CUstreamCaptureMode's numbers: whose unsafe calls a capture forbids.
enum class CaptureMode : uint8_t { global = 0, thread_local_ = 1, relaxed = 2 };
enum class CaptureStatus : uint8_t { none = 0, active = 1, invalidated = 2 };

struct CapturedRecord;
struct CaptureSeat;

class Capture final : public Counted {
 public:
  // --- What entry points ask -------------------------------------------------------------------

  // Before work goes into `stream`: true if it is to become a node instead, with add(). Errors:
  // stream_capture_invalidated; stream_capture_implicit for the legacy stream while a blocking one
  // of its context is captured, which ends what that capture was good for.
  static Result<bool> takes(Stream& stream) {
    if (!under_way()) [[likely]]
      return false;
    return takes_now(stream);
  }

  // Before work that no graph can hold, and before questions about what a captured stream has done:
  // invalidates the capture. Errors: stream_capture_unsupported; those of takes().
  static Result<> refuse_in(Stream& stream) {
    if (!under_way()) [[likely]]
      return {};
    return refuse_in_now(stream);
  }

  // Before a call that would break what a capture is for, such as an allocation: the modes of
  // captures and of the thread decide. Errors: stream_capture_unsupported; the captures are
  // invalidated.
  static Result<> refuse_unsafe_call() {
    if (!under_way()) [[likely]]
      return {};
    return refuse_unsafe_call_now();
  }

  // Before waiting for a whole context: errors: stream_capture_unsupported if a stream of it is
  // captured, whose capture is invalidated.
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

  // Makes a node of work, after what the stream has captured. Errors: as of takes().
  static Result<> add(Stream& stream, NodeType type, Work work);
  // The event's content is what the stream has captured.
  static Result<> record(Stream& stream, Event& event);
  // Before cuStreamWaitEvent is a wait: true if that was all. `external`: the wait is a node.
  // Errors: stream_capture_isolation for an event that was not recorded in the stream's capture,
  // stream_capture_merge for one of another capture, invalid_value for one of a capture that has
  // ended.
  static Result<bool> wait(Stream& stream, Event& event, bool external) {
    if (!under_way() && !event.captured()) [[likely]]
      return false;
    return wait_now(stream, event, external);
  }
  // Before an event is asked how it is. Errors: captured_event, which does `harm` to the capture by
  // making it invalid, and invalid_value for one that was recorded in a capture that is invalid or
  // has ended (measured).
  static Result<> refuse_captured(Event& event, bool harm = true);

  // --- Begin and end ---------------------------------------------------------------------------

  // Errors: stream_capture_unsupported for the legacy stream, illegal_state for one that is
  // captured. `into`: an existing graph, to go on after `after` of it; null: a new one.
  static Result<> begin(Stream& stream, CaptureMode mode, Ref<Graph> into, Dependencies after);
  // The graph. Errors: illegal_state if the stream is not captured, stream_capture_unmatched if it
  // did not begin it, stream_capture_wrong_thread, stream_capture_invalidated,
  // stream_capture_unjoined.
  static Result<Ref<Graph>> end(Stream& stream);
  // The stream goes away. What it has captured stays, and has to be joined all the same (measured);
  // the stream that began the capture takes it along. A context takes all that its streams are in.
  static void abandon(Stream& stream);
  static void abandon(Context& context);

  // --- Questions -------------------------------------------------------------------------------

  struct Info {
    CaptureStatus status = CaptureStatus::none;
    uint64_t id = 0;
    Ref<Graph> graph;
    Dependencies dependencies;  // of the next node
  };
  // Errors: stream_capture_implicit for the legacy stream while a blocking one is captured; that
  // harms nobody.
  static Result<Info> info(Stream& stream);
  // Keeps what the C API has told about `stream` until it asks again or the capture ends.
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
  static Result<> refuse_in_now(Stream& stream) EXCLUDES(graph_mutex);
  static Result<> refuse_unsafe_call_now() EXCLUDES(graph_mutex);
  static Result<> refuse_in_context_now(Context& context) EXCLUDES(graph_mutex);
  static Result<bool> wait_now(Stream& stream, Event& event, bool external) EXCLUDES(graph_mutex);
  static Result<bool> check(Stream& stream, bool harm) REQUIRES(graph_mutex);

  Result<> add_node(Stream& stream, NodeType type, Work work) REQUIRES(graph_mutex);
  // The stream's place in a capture; null if it is in none.
  static CaptureSeat* seat_of(Stream& stream) REQUIRES(graph_mutex);
  void seat(Stream& stream, Dependencies dependencies) REQUIRES(graph_mutex);
  bool joined() const REQUIRES(graph_mutex);
  // Gives the streams back. They are handed over, for the caller to drop without a lock.
  std::vector<Ref<Stream>> finish() REQUIRES(graph_mutex);

  static std::atomic<unsigned> under_way_;

  const Ref<Graph> graph_;
  const CaptureMode mode_;
  const uint64_t id_;
  const Thread* const thread_;
  Stream& origin_;
  bool valid_ = true, ended_ = false;
  std::vector<Ref<Stream>> streams_;  // the first is origin_
  std::vector<Dependencies> left_;    // what streams that went away would have gone on after
};

// A stream's place in a capture.
struct CaptureSeat final : Counted {
  Ref<Capture> capture;
  Dependencies next;  // what the next node comes after
  Ref<Counted> answer;
};

// What an event that was recorded in a capture stands for.
struct CapturedRecord final : Counted {
  Ref<Capture> capture;
  Dependencies dependencies;
};

}  // namespace cuvette::device
