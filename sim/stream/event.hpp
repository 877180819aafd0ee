// SPDX-License-Identifier: Apache-2.0
// Event: a marker in a stream. Recording takes a snapshot; who waits, waits for the most recent
// record at the time of the call, and is not affected by later ones.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/api_object.hpp"
#include "sim/error.hpp"
#include "sim/exec/serial_queue.hpp"
#include "sim/mutex.hpp"
#include "sim/stream/context.hpp"
#include "sim/stream/event_record.hpp"
#include "sim/stream/shared_event.hpp"

namespace cuvette::device {

class Event final : public Counted, public ApiObject {
 public:
  struct Options {
    bool timing = true;
    bool blocking_sync = false;
  };
  // `shared`: what other processes have of it, if they may have it.
  Event(Ref<Context> context, Options options, const void* call_site,
        Ref<SharedEvent> shared = nullptr);

  Context& context() const { return *context_; }
  const Options& options() const { return options_; }
  const void* call_site() const { return call_site_; }
  // Null: it is this process's alone.
  const Ref<SharedEvent>& shared() const { return shared_; }

  // Everything submitted to `stream` so far becomes the event's content. Errors, of an event that
  // processes share: out_of_memory, operating_system.
  Result<> record(Stream& stream, const void* call_site) EXCLUDES(mutex_);
  // Later commands of `stream` run after the event's content of now. Nothing recorded: no
  // condition. Errors: out_of_memory.
  Result<> wait_in(Stream& stream, const void* call_site) EXCLUDES(mutex_);

  // --- Of all streams of a context: cuCtxRecordEvent, cuCtxWaitEvent ---
  // Everything submitted to it so far becomes the event's content. Errors: as of record().
  Result<> record_all(Context& context, const void* call_site) EXCLUDES(mutex_);
  // What is submitted to it from now on runs after the event's content of now. Errors: as of
  // condition().
  Result<> wait_in_all(Context& context) EXCLUDES(mutex_);

  // Errors: not_ready; external_device if the process that recorded it has ended before its work
  // was done.
  Result<> query() EXCLUDES(mutex_);
  // Errors: external_device, out_of_memory.
  Result<> synchronise() EXCLUDES(mutex_);

  // Milliseconds from `start` to `end`, at the resolution of half a microsecond that CUDA states.
  // Errors: invalid_handle if either is not recorded or keeps no time, not_ready if either is
  // pending.
  static Result<float> elapsed(Event& start, Event& end);

  // --- For captures ---
  // The last record was in a capture: it stands for nodes of a graph.
  bool captured() const { return is_captured_.load(std::memory_order_acquire); }
  // What stands for these; the capture knows its type.
  Ref<Counted> captured_record() EXCLUDES(mutex_);
  void set_captured(Ref<Counted> record) EXCLUDES(mutex_);
  bool recorded() EXCLUDES(mutex_) { return last().get() != nullptr; }

  // --- For graphs ---
  // The event's content becomes what `marker` says, from the launch on. Errors: record()'s.
  Result<Ref<EventRecord>> record_in_graph(Ref<exec::Timeline> marker, const void* call_site)
      EXCLUDES(mutex_);
  // What has to be reached before the event's content of now is over; for work of `context`.
  // Errors: out_of_memory.
  Result<exec::Edge> condition(Context& context) EXCLUDES(mutex_);

 private:
  ~Event() override;
  Ref<EventRecord> last() EXCLUDES(mutex_);
  // What another process, or another event of this one that means the same, has recorded since this
  // one was.
  SharedEvent::Mark foreign() EXCLUDES(mutex_);
  Result<> wait_for_foreign(const SharedEvent::Mark& mark);

  const Ref<Context> context_;
  const Options options_;
  const void* const call_site_;
  const Ref<SharedEvent> shared_;
  Mutex mutex_;
  Ref<EventRecord> last_ GUARDED_BY(mutex_);
  uint64_t last_number_ GUARDED_BY(mutex_) = 0;  // of last_, among all processes'
  Ref<Counted> captured_ GUARDED_BY(mutex_);
  std::atomic<bool> is_captured_{false};
};

}  // namespace cuvette::device
