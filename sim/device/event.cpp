// SPDX-License-Identifier: Apache-2.0
#include "sim/device/event.hpp"

#include "sim/device/capture.hpp"
#include "sim/device/device.hpp"
#include "sim/device/machine.hpp"
#include "sim/device/memory_pool.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::device {

namespace {

// The calling thread knows it now.
void tell_completed(const EventRecord& record) {
  if (record.in_graph) return;  // no command of a stream has that number
  const auto& stream = static_cast<const Stream&>(*record.timeline);
  Machine::get().observers().notify(&Observer::waited_for, stream, record.value);
}

}  // namespace

Event::Event(Ref<Context> context, Options options, const void* call_site)
    : context_(std::move(context)), options_(options), call_site_(call_site) {}

Event::~Event() = default;

void Event::record(Stream& stream, const void* call_site) {
  Command command(CommandKind::event_record, call_site);
  Ref<CapturedRecord> forgotten;  // dropped without the lock
  MutexLock lock(mutex_);
  if (captured_) [[unlikely]] {
    forgotten = std::move(captured_);
    is_captured_.store(false, std::memory_order_release);
  }
  // The old record serves again if nobody else looks at it: no command will stamp it, no wait reads
  // it.
  if (last_ && last_->unique() && last_->timeline.get() == &stream) {
    last_->call_site = call_site;
  } else {
    last_ = make_ref<EventRecord>(Ref<exec::Timeline>(&stream), call_site);
  }
  // Before it is submitted: what the stream learns from now on comes later.
  last_->known = stream.order().known();
  // Without a time to write, the command needs no record, which can serve again at once.
  if (options_.timing) command.record = last_;
  last_->value = stream.context().submit(stream, std::move(command));
}

Ref<EventRecord> Event::last() {
  MutexLock lock(mutex_);
  return last_;
}

Ref<EventRecord> Event::record_in_graph(Ref<exec::Timeline> marker, const void* call_site) {
  auto record = make_ref<EventRecord>(std::move(marker), call_site);
  record->value = 1;
  record->in_graph = true;
  Ref<CapturedRecord> forgotten;  // dropped without the lock
  MutexLock lock(mutex_);
  forgotten = std::exchange(captured_, nullptr);
  is_captured_.store(false, std::memory_order_release);
  last_ = record;
  return record;
}

Ref<CapturedRecord> Event::captured_record() {
  MutexLock lock(mutex_);
  return captured_;
}

void Event::set_captured(Ref<CapturedRecord> record) {
  Ref<CapturedRecord> forgotten;  // dropped without the lock
  MutexLock lock(mutex_);
  forgotten = std::exchange(captured_, std::move(record));
  last_ = nullptr;
  is_captured_.store(true, std::memory_order_release);
}

void Event::wait_in(Stream& stream, const void* call_site) {
  Command command(CommandKind::event_wait, call_site);
  const Ref<EventRecord> record = last();
  if (record) command.wait_for({record->timeline, record->value});
  stream.context().submit(stream, std::move(command));
  if (record && !record->in_graph && StreamOrder::kept())
    stream.order().learn(record->known.get(), static_cast<Stream&>(*record->timeline).id(),
                         record->value);
}

Result<> Event::query() {
  Ref<EventRecord> record = last();
  if (!record) return {};
  if (record->completed()) {
    tell_completed(*record);
    return {};
  }
  if (exec::Scheduler* const scheduler = exec::Scheduler::get())
    scheduler->asked_for(*record->timeline->queue(), record->value);
  return Error::not_ready;
}

void Event::synchronise() {
  Ref<EventRecord> record = last();
  if (!record) return;
  exec::help_until(*record->timeline->queue(), record->value,
                   options_.blocking_sync ? exec::Patience::block : context_->patience());
  if (!record->in_graph)
    MemoryPool::synchronised(record->known.get(), static_cast<Stream&>(*record->timeline),
                             record->value);
  tell_completed(*record);
}

Result<float> Event::elapsed(Event& start, Event& end) {
  const Ref<EventRecord> from = start.last(), to = end.last();
  if (!from || !to)
    return refuse(Error::invalid_handle, "The time between two events needs both to be recorded.");
  // Measured, whether they are complete or not.
  if (&start.context_->device() != &end.context_->device())
    return refuse(Error::invalid_handle,
                  "The two events are of different devices, whose clocks nothing joins.");
  if (!start.options_.timing || !end.options_.timing)
    return refuse(Error::invalid_handle,
                  "The time between two events needs both to be created without "
                  "CU_EVENT_DISABLE_TIMING.");
  if (!from->completed() || !to->completed()) return Error::not_ready;
  tell_completed(*from);
  tell_completed(*to);
  return static_cast<float>(static_cast<double>(to->time_ns - from->time_ns) / 1e6);
}

}  // namespace cuvette::device
