// SPDX-License-Identifier: Apache-2.0
// Event: a marker in a stream. Recording takes a snapshot; a wait is for the most recent record
// at the time of the call, and later records do not affect it.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/base/api_object.hpp"
#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/event_record.hpp"
#include "sim/device/stream/shared_event.hpp"
#include "sim/exec/serial_queue.hpp"
#include "sim/record/resource.hpp"

namespace cuvette::device {

class Event final : public Counted, public ApiObject {
 public:
  struct Options {
    bool timing = true;
    bool blocking_sync = false;
  };
  // Creates an event, which other processes can open if it is `interprocess`. Errors: invalid_value
  // if such an event keeps time; out_of_memory, operating_system.
  static Result<Ref<Event>> create(Context& context, Options options, bool interprocess,
                                   const void* call_site);
  // `shared`: the state that other processes see; null if the event is not shared.
  Event(Ref<Context> context, Options options, const void* call_site,
        Ref<SharedEvent> shared = nullptr);

  Context& context() const { return *context_; }
  const Options& options() const { return options_; }
  const void* call_site() const { return call_site_; }
  // Null if the event belongs to this process alone.
  const Ref<SharedEvent>& shared() const { return shared_; }

  // Makes everything submitted to `stream` so far the event's content. Errors, if processes share
  // the event: out_of_memory, operating_system.
  Result<> record(Stream& stream, const void* call_site) EXCLUDES(mutex_);
  // Makes later commands of `stream` run after the event's present content. Does nothing if nothing
  // is recorded. Errors: out_of_memory.
  Result<> wait_in(Stream& stream, const void* call_site) EXCLUDES(mutex_);

  // --- For all streams of a context: cuCtxRecordEvent, cuCtxWaitEvent ---
  // Makes everything submitted to the context so far the event's content. Errors: as record().
  Result<> record_all(Context& context, const void* call_site) EXCLUDES(mutex_);
  // Makes later submissions to the context run after the event's present content. Errors: as
  // condition().
  Result<> wait_in_all(Context& context) EXCLUDES(mutex_);

  // Errors: not_ready; external_device if the process that recorded it has ended before its work
  // was done.
  Result<> query(Stream::Asks asks = Stream::Asks::program) EXCLUDES(mutex_);
  // Returns the record that it has waited for, or null where there is none of this process.
  // Errors: external_device, out_of_memory.
  Result<Ref<EventRecord>> synchronise() EXCLUDES(mutex_);

  // Returns the milliseconds from `start` to `end`, at CUDA's stated resolution of half a
  // microsecond.
  // Errors: invalid_handle if either is not recorded or keeps no time, not_ready if either is
  // pending.
  static Result<float> elapsed(Event& start, Event& end);

  // --- For captures ---
  // Whether the last record was in a capture, where it means nodes of a graph.
  bool captured() const { return is_captured_.load(std::memory_order_acquire); }
  // The object that holds these nodes; the capture knows its type.
  Ref<Counted> captured_record() EXCLUDES(mutex_);
  void set_captured(Ref<Counted> record) EXCLUDES(mutex_);
  bool recorded() EXCLUDES(mutex_) { return last().get() != nullptr; }

  // --- For graphs ---
  // Makes the point that `marker` stamps the event's content, from the launch on. Errors: as
  // record().
  Result<Ref<EventRecord>> record_in_graph(Ref<exec::Timeline> marker, const void* call_site)
      EXCLUDES(mutex_);
  // The edge at which the event's present content is complete; for work of `context`.
  // Errors: out_of_memory.
  Result<exec::Edge> condition(Context& context) EXCLUDES(mutex_);

 private:
  ~Event() override;
  Ref<EventRecord> last() EXCLUDES(mutex_);
  // Returns a record newer than last_ that another process made, or another event of this process
  // with the same shared state; none if there is none.
  SharedEvent::Mark foreign() EXCLUDES(mutex_);
  Result<> wait_for_foreign(const SharedEvent::Mark& mark);

  const Ref<Context> context_;
  const Options options_;
  const void* const call_site_;
  const Ref<SharedEvent> shared_;
  Mutex mutex_;
  Ref<EventRecord> last_ GUARDED_BY(mutex_);
  uint64_t last_number_ GUARDED_BY(mutex_) = 0;  // of last_, counted over all processes
  Ref<Counted> captured_ GUARDED_BY(mutex_);
  std::atomic<bool> is_captured_{false};
  record::Resource recorded_;
};

}  // namespace cuvette::device
