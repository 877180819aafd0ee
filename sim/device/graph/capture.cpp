// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/capture.hpp"

#include <algorithm>
#include <unordered_set>

#include "sim/device/machine/machine.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::device {

std::atomic<unsigned> Capture::under_way_{0};

namespace {

// All captures that have not ended. Reached through a function, so that no static destructor runs.
std::vector<Ref<Capture>>& captures() REQUIRES(graph_mutex) {
  static auto& the_captures = *new std::vector<Ref<Capture>>;
  return the_captures;
}

void unite(Dependencies& dependencies, const Dependencies& more) {
  for (const Dependency& one : more) {
    if (!one.node->graph()) continue;  // the program has destroyed it since
    const bool known = std::any_of(
        dependencies.begin(), dependencies.end(),
        [&](const Dependency& other) { return other.node == one.node && other.kind == one.kind; });
    if (!known) dependencies.push_back(one);
  }
}

Ref<CapturedRecord> record_of(Event& event) {
  return Ref<CapturedRecord>::adopt(static_cast<CapturedRecord*>(event.captured_record().leak()));
}

}  // namespace

Capture::Capture(Ref<Graph> graph, CaptureMode mode, Stream& origin)
    : graph_(std::move(graph)),
      mode_(mode),
      id_(Machine::get().next_id()),
      thread_(&Thread::current()),
      origin_(origin) {}

CaptureSeat* Capture::seat_of(Stream& stream) {
  return static_cast<CaptureSeat*>(stream.capture_seat());
}

Result<bool> Capture::check(Stream& stream, bool harm) {
  if (const CaptureSeat* seat = seat_of(stream)) {
    if (seat->capture->valid_) return true;
    return refuse(Error::stream_capture_invalidated,
                  "An earlier call has made the capture of this stream invalid.");
  }
  if (stream.kind() != StreamKind::legacy) return false;
  bool found = false;
  for (const Ref<Capture>& capture : captures()) {
    const bool blocking = std::any_of(capture->streams_.begin(), capture->streams_.end(),
                                      [&](const Ref<Stream>& other) {
                                        return other->kind() != StreamKind::non_blocking &&
                                               &other->context() == &stream.context();
                                      });
    if (!blocking) continue;
    found = true;
    if (harm) capture->valid_ = false;
  }
  if (found)
    return refuse(Error::stream_capture_implicit,
                  "The legacy stream waits for blocking streams, and one of them is captured.");
  return false;
}

Result<bool> Capture::takes_now(Stream& stream) {
  MutexLock lock(graph_mutex);
  return check(stream, true);
}

Result<> Capture::refuse_in_now(Stream& stream, bool keep) {
  MutexLock lock(graph_mutex);
  if (const CaptureSeat* seat = seat_of(stream)) {
    if (keep)
      return refuse(Error::stream_capture_unsupported,
                    "This is not permitted on a stream that is being captured.");
    // Measured: also for a capture that is invalid already.
    seat->capture->valid_ = false;
    return refuse(
        Error::stream_capture_unsupported,
        "This is not permitted on a stream that is being captured; the capture is now invalid.");
  }
  TRY(check(stream, true));
  return {};
}

void Capture::spoil_now(Stream& stream) {
  MutexLock lock(graph_mutex);
  if (const CaptureSeat* seat = seat_of(stream)) seat->capture->valid_ = false;
}

Result<> Capture::refuse_unsafe_call_now() {
  MutexLock lock(graph_mutex);
  const Thread& thread = Thread::current();
  const auto own = static_cast<CaptureMode>(thread.capture_mode);
  if (own == CaptureMode::relaxed) return {};
  bool found = false;
  for (const Ref<Capture>& capture : captures()) {
    const bool forbids = capture->mode_ != CaptureMode::relaxed &&
                         (capture->thread_ == &thread ||
                          (own == CaptureMode::global && capture->mode_ == CaptureMode::global));
    if (!forbids) continue;
    found = true;
    capture->valid_ = false;
  }
  if (found)
    return refuse(Error::stream_capture_unsupported,
                  "A capture is in progress that forbids this call; it is now invalid. "
                  "cuThreadExchangeStreamCaptureMode says which calls a thread may make.");
  return {};
}

Result<> Capture::refuse_in_context_now(Context& context) {
  MutexLock lock(graph_mutex);
  bool found = false;
  for (const Ref<Capture>& capture : captures()) {
    const bool here =
        std::any_of(capture->streams_.begin(), capture->streams_.end(),
                    [&](const Ref<Stream>& stream) { return &stream->context() == &context; });
    if (!here) continue;
    found = true;
    capture->valid_ = false;
  }
  if (found)
    return refuse(Error::stream_capture_unsupported,
                  "A stream of the context is being captured, so it cannot be waited for; the "
                  "capture is now invalid.");
  return {};
}

Result<> Capture::add_node(Stream& stream, NodeType type, Work work) {
  CaptureSeat& seat = *seat_of(stream);
  Dependencies after;
  unite(after, seat.next);
  Ref<GraphNode> node = TRY(graph_->add(type, std::move(work), after));
  seat.next = {{std::move(node), {}}};
  return {};
}

Result<> Capture::add(Stream& stream, NodeType type, Work work) {
  record::note(record_format::CallClass::captured);
  MutexLock lock(graph_mutex);
  // The capture may have ended since the caller looked; then the call has no effect on it.
  if (!TRY(check(stream, true)))
    return refuse(Error::illegal_state, "The capture ended during the call.");
  return seat_of(stream)->capture->add_node(stream, type, std::move(work));
}

Result<> Capture::record(Stream& stream, Event& event) {
  MutexLock lock(graph_mutex);
  if (!TRY(check(stream, true)))
    return refuse(Error::illegal_state, "The capture ended during the call.");
  // Measured: the capture stays valid.
  if (event.shared())
    return refuse(Error::stream_capture_unsupported,
                  "An event that is shared between processes cannot represent captured work: "
                  "record it with CU_EVENT_RECORD_EXTERNAL.");
  auto record = make_ref<CapturedRecord>();
  record->capture = seat_of(stream)->capture;
  record->dependencies = seat_of(stream)->next;
  event.set_captured(std::move(record));
  return {};
}

void Capture::seat(Stream& stream, Dependencies dependencies) {
  stream.set_capture_seat(make_ref<CaptureSeat>());
  seat_of(stream)->capture = Ref<Capture>(this);
  seat_of(stream)->next = std::move(dependencies);
  streams_.emplace_back(&stream);
}

Result<bool> Capture::wait_now(Stream& stream, Event& event, bool external) {
  MutexLock lock(graph_mutex);
  const bool captured = TRY(check(stream, true));
  if (external) {
    if (!captured)
      return refuse(Error::illegal_state,
                    "CU_EVENT_WAIT_EXTERNAL needs a stream that is being captured.");
    TRY(seat_of(stream)->capture->add_node(stream, NodeType::event_wait,
                                           EventWork{Ref<Event>(&event)}));
    return true;
  }
  // Measured: recorded or not.
  if (captured && event.shared()) {
    seat_of(stream)->capture->valid_ = false;
    return refuse(Error::stream_capture_unsupported,
                  "An event that is shared between processes cannot represent captured work: wait "
                  "for it with CU_EVENT_WAIT_EXTERNAL.");
  }
  const Ref<CapturedRecord> record = record_of(event);
  if (!record) {
    if (!captured) return false;
    // Nothing was ever recorded: there is nothing to wait for.
    if (!event.recorded()) return true;
    seat_of(stream)->capture->valid_ = false;
    return refuse(Error::stream_capture_isolation,
                  "The event was recorded outside of the capture: use CU_EVENT_WAIT_EXTERNAL.");
  }
  Capture& capture = *record->capture;
  if (capture.ended_) {
    if (captured) seat_of(stream)->capture->valid_ = false;
    return refuse(
        Error::invalid_value,
        "The event was recorded in a capture that has ended, so it can no longer be waited for.");
  }
  if (!captured) {
    if (!capture.valid_)  // measured
      return refuse(Error::invalid_value,
                    "The event was recorded in a capture that has become invalid, so it can no "
                    "longer be waited for.");
    if (stream.kind() == StreamKind::legacy) {
      capture.valid_ = false;
      return refuse(
          Error::stream_capture_implicit,
          "The legacy stream cannot be captured, but the event represents captured work.");
    }
    Dependencies next;
    unite(next, record->dependencies);
    capture.seat(stream, std::move(next));
    return true;
  }
  CaptureSeat& seat = *seat_of(stream);
  if (seat.capture.get() != &capture) {
    seat.capture->valid_ = false;
    capture.valid_ = false;
    return refuse(Error::stream_capture_merge,
                  "The stream and the event belong to two captures, which would become one.");
  }
  unite(seat.next, record->dependencies);
  return true;
}

Result<> Capture::refuse_captured(Event& event, bool harm) {
  if (!event.captured()) [[likely]]
    return {};
  MutexLock lock(graph_mutex);
  const Ref<CapturedRecord> record = record_of(event);
  if (!record) return {};
  if (record->capture->ended_ || !record->capture->valid_)
    return refuse(
        Error::invalid_value,
        "The event was recorded in a capture that is over or invalid: it represents nothing.");
  if (harm) record->capture->valid_ = false;
  return refuse(Error::captured_event,
                "The event was recorded in a capture, so it represents no work that runs.");
}

Result<> Capture::begin(Stream& stream, CaptureMode mode, Ref<Graph> into, Dependencies after) {
  if (stream.kind() == StreamKind::legacy)
    return refuse(Error::stream_capture_unsupported, "The legacy stream cannot be captured.");
  MutexLock lock(graph_mutex);
  if (stream.capture_seat())
    return refuse(Error::illegal_state, "The stream is already being captured.");
  if (into) {
    if (into->captured)
      return refuse(Error::invalid_value, "Another capture is writing the graph.");
    for (const Dependency& dependency : after)
      if (dependency.node->graph() != into.get())
        return refuse(Error::invalid_value,
                      "A node to continue from does not belong to the graph.");
  } else {
    into = make_ref<Graph>();
  }
  Context::on_tear_down([](Context& context) { abandon(context); });
  into->captured = true;
  auto capture = Ref<Capture>::adopt(new Capture(std::move(into), mode, stream));
  Dependencies next;
  unite(next, after);
  capture->seat(stream, std::move(next));
  captures().push_back(std::move(capture));
  under_way_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

// Returns whether the work of every stream of the capture comes before the next node of the stream
// that began it.
bool Capture::joined() const {
  std::unordered_set<const GraphNode*> reached;
  std::vector<const GraphNode*> pending;
  const auto reach = [&](const GraphNode* node) {
    if (reached.insert(node).second) pending.push_back(node);
  };
  for (const Dependency& dependency : seat_of(origin_)->next) reach(dependency.node.get());
  while (!pending.empty()) {
    const GraphNode* node = pending.back();
    pending.pop_back();
    for (const NodeEdge& edge : node->before()) reach(edge.node);
  }
  const auto all_reached = [&](const Dependencies& next) REQUIRES(graph_mutex) {
    return std::all_of(next.begin(), next.end(), [&](const Dependency& dependency) {
      return !dependency.node->graph() || reached.contains(dependency.node.get());
    });
  };
  return std::all_of(left_.begin(), left_.end(), all_reached) &&
         std::all_of(streams_.begin(), streams_.end(),
                     [&](const Ref<Stream>& stream)
                         REQUIRES(graph_mutex) { return all_reached(seat_of(*stream)->next); });
}

std::vector<Ref<Stream>> Capture::finish() {
  ended_ = true;
  graph_->captured = false;
  for (const Ref<Stream>& stream : streams_) stream->set_capture_seat(nullptr);
  under_way_.fetch_sub(1, std::memory_order_relaxed);
  std::erase_if(captures(), [&](const Ref<Capture>& one) { return one.get() == this; });
  left_.clear();
  return std::move(streams_);
}

Result<Ref<Graph>> Capture::end(Stream& stream) {
  Ref<Capture> capture;
  std::vector<Ref<Stream>> streams;  // dropped without the lock
  MutexLock lock(graph_mutex);
  if (!stream.capture_seat())
    return refuse(Error::illegal_state, "The stream is not being captured.");
  capture = seat_of(stream)->capture;
  if (&capture->origin_ != &stream) {
    capture->valid_ = false;
    return refuse(Error::stream_capture_unmatched,
                  "Another stream began the capture: end it in that stream.");
  }
  // Measured: the capture ends with any of these answers.
  const bool valid = capture->valid_, joined = capture->joined();
  streams = capture->finish();
  if (!valid)
    return refuse(Error::stream_capture_invalidated,
                  "An earlier call has made the capture invalid.");
  if (capture->mode_ != CaptureMode::relaxed && capture->thread_ != &Thread::current())
    return refuse(Error::stream_capture_wrong_thread,
                  "The capture was begun by another thread and is not in relaxed mode.");
  if (!joined)
    return refuse(Error::stream_capture_unjoined,
                  "A stream that joined the capture has work that the capture's first stream does "
                  "not wait for.");
  record::note_count(capture->graph_->nodes().size());
  return capture->graph_;
}

void Capture::abandon(Stream& stream) {
  if (!under_way()) return;
  Ref<Capture> capture;
  std::vector<Ref<Stream>> streams;
  MutexLock lock(graph_mutex);
  if (!stream.capture_seat()) return;
  capture = seat_of(stream)->capture;
  if (&capture->origin_ == &stream) {
    capture->valid_ = false;
    streams = capture->finish();
  } else {
    capture->left_.push_back(std::move(seat_of(stream)->next));
    stream.set_capture_seat(nullptr);
    const auto gone =
        std::find(capture->streams_.begin(), capture->streams_.end(), Ref<Stream>(&stream));
    streams.push_back(std::move(*gone));
    capture->streams_.erase(gone);
  }
}

void Capture::abandon(Context& context) {
  if (!under_way()) return;
  std::vector<Ref<Stream>> streams;
  {
    MutexLock lock(graph_mutex);
    for (const Ref<Capture>& capture : captures())
      for (const Ref<Stream>& stream : capture->streams_)
        if (&stream->context() == &context) {
          capture->valid_ = false;
          streams.push_back(stream);
        }
  }
  for (const Ref<Stream>& stream : streams) abandon(*stream);
}

Result<Capture::Info> Capture::info(Stream& stream) {
  Info info;
  if (!under_way()) return info;
  MutexLock lock(graph_mutex);
  const CaptureSeat* seat = seat_of(stream);
  if (!seat) {
    TRY(check(stream, false));
    return info;
  }
  info.status = seat->capture->valid_ ? CaptureStatus::active : CaptureStatus::invalidated;
  info.id = seat->capture->id_;
  info.graph = seat->capture->graph_;
  unite(info.dependencies, seat->next);
  return info;
}

void Capture::keep_answer(Stream& stream, Ref<Counted> answer) {
  MutexLock lock(graph_mutex);
  if (stream.capture_seat()) seat_of(stream)->answer = std::move(answer);
}

Result<> Capture::update(Stream& stream, Dependencies dependencies, bool replace) {
  MutexLock lock(graph_mutex);
  if (!stream.capture_seat())
    return refuse(Error::illegal_state, "The stream is not being captured.");
  TRY(check(stream, true));
  CaptureSeat& seat = *seat_of(stream);
  for (const Dependency& dependency : dependencies)
    if (dependency.node->graph() != seat.capture->graph_.get())
      return refuse(Error::invalid_value, "A node does not belong to the captured graph.");
  if (replace) seat.next.clear();
  unite(seat.next, dependencies);
  return {};
}

CaptureMode Capture::exchange_mode(CaptureMode mode) {
  Thread& thread = Thread::current();
  const auto before = static_cast<CaptureMode>(thread.capture_mode);
  thread.capture_mode = static_cast<int>(mode);
  return before;
}

}  // namespace cuvette::device
