// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/event.hpp"

#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/turn_of_others.hpp"
#include "sim/exec/outside.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/workers.hpp"

namespace cuvette::device {

namespace {

// Notifies observers that the calling thread now knows the record to be complete.
void tell_completed(const EventRecord& record) {
  if (record.in_graph) return;  // no command of a stream has that number
  const auto& stream = static_cast<const Stream&>(*record.timeline);
  observers().notify(&Observer::waited_for, stream, record.value);
}

}  // namespace

Result<Ref<Event>> Event::create(Context& context, Options options, bool interprocess,
                                 const void* call_site) {
  // "CU_EVENT_INTERPROCESS must be specified along with CU_EVENT_DISABLE_TIMING."
  if (interprocess && options.timing)
    return refuse(Error::invalid_value, "CU_EVENT_INTERPROCESS needs CU_EVENT_DISABLE_TIMING.");
  Ref<SharedEvent> shared;
  if (interprocess) shared = TRY(SharedEvent::create());
  return make_ref<Event>(Ref<Context>(&context), options, call_site, std::move(shared));
}

Event::Event(Ref<Context> context, Options options, const void* call_site, Ref<SharedEvent> shared)
    : context_(std::move(context)),
      options_(options),
      call_site_(call_site),
      shared_(std::move(shared)) {
  if (shared_) TurnOfOthers::begin();
  recorded_.begin(record_format::ResourceKind::event, {}, call_site);
  if (options_.timing) record::note(record_format::CallClass::timing);
  if (shared_) record::note(record_format::CallClass::interprocess);
}

Event::~Event() = default;

Result<> Event::record(Stream& stream, const void* call_site) {
  const record::About about(recorded_);
  if (options_.timing) record::note(record_format::CallClass::timing);
  SharedEvent::Mark mark;
  if (shared_) [[unlikely]]
    mark = TRY(shared_->begin());
  Ref<Counted> forgotten;  // dropped without the lock
  uint64_t number;
  {
    MutexLock lock(mutex_);
    if (captured_) [[unlikely]] {
      forgotten = std::move(captured_);
      is_captured_.store(false, std::memory_order_release);
    }
    // Reuses the old record if nothing else refers to it: no command will stamp it, no wait reads
    // it.
    if (!shared_ && last_ && last_->unique() && last_->timeline.get() == &stream) {
      last_->call_site = call_site;
    } else {
      last_ = make_ref<EventRecord>(Ref<exec::Timeline>(&stream), call_site);
    }
    // Read before the submission: what the stream learns from now on comes later.
    last_->known = stream.order().known();
    // Without a time to write, the command needs no record, so the record can be reused at once.
    EventMark stamp(options_.timing || shared_ ? last_ : nullptr, call_site);
    last_->exported = shared_.get() != nullptr;
    number = stream.context().submit_for_helper(stream, std::move(stamp));
    last_->value = number;
    if (shared_) [[unlikely]] {
      last_number_ = mark.number;
      shared_->publish(mark, stream, number);
    }
  }
  // Programs ask for the time right after the call, and an idle GPU has it by then.
  Context::run_or_offer(stream, number);
  return {};
}

Ref<EventRecord> Event::last() {
  MutexLock lock(mutex_);
  return last_;
}

SharedEvent::Mark Event::foreign() {
  if (!shared_) [[likely]]
    return {};
  const SharedEvent::Mark mark = shared_->last();
  MutexLock lock(mutex_);
  return mark.number > last_number_ ? mark : SharedEvent::Mark{};
}

Result<Ref<EventRecord>> Event::record_in_graph(Ref<exec::Timeline> marker, const void* call_site) {
  SharedEvent::Mark mark;
  if (shared_) mark = TRY(shared_->begin());
  auto record = make_ref<EventRecord>(std::move(marker), call_site);
  record->value = 1;
  record->in_graph = true;
  record->exported = shared_.get() != nullptr;
  Ref<Counted> forgotten;  // dropped without the lock
  MutexLock lock(mutex_);
  forgotten = std::exchange(captured_, nullptr);
  is_captured_.store(false, std::memory_order_release);
  last_ = record;
  if (shared_) {
    last_number_ = mark.number;
    shared_->publish(mark, *record->timeline, record->value);
  }
  return record;
}

Result<exec::Edge> Event::condition(Context& context) {
  if (const SharedEvent::Mark mark = foreign(); mark.number != 0) [[unlikely]] {
    TRY(exec::Poller::get().start());
    auto record = make_ref<ForeignRecord>(shared_, mark, Ref<Context>(&context));
    if (record->look()) return exec::Edge{};
    exec::Poller::get().watch(record);
    return exec::Edge{std::move(record), 1};
  }
  const Ref<EventRecord> record = last();
  return record ? exec::Edge{record->timeline, record->value} : exec::Edge{};
}

Ref<Counted> Event::captured_record() {
  MutexLock lock(mutex_);
  return captured_;
}

void Event::set_captured(Ref<Counted> record) {
  Ref<Counted> forgotten;  // dropped without the lock
  MutexLock lock(mutex_);
  forgotten = std::exchange(captured_, std::move(record));
  last_ = nullptr;
  is_captured_.store(true, std::memory_order_release);
}

Result<> Event::wait_in(Stream& stream, const void* call_site) {
  const record::About about(recorded_);
  EdgeWait wait(call_site);
  if (foreign().number != 0) [[unlikely]] {
    wait.wait_for(TRY(condition(stream.context())));
    stream.context().submit(stream, std::move(wait));
    return {};
  }
  const Ref<EventRecord> record = last();
  if (record) wait.wait_for({record->timeline, record->value});
  stream.context().submit(stream, std::move(wait));
  if (record && !record->in_graph && StreamOrder::kept())
    stream.order().learn(record->known.get(), static_cast<Stream&>(*record->timeline).id(),
                         record->value);
  return {};
}

Result<> Event::record_all(Context& context, const void* call_site) {
  // A separate stream, which waits for everything that the record comes after.
  const Ref<Stream> marker = context.make_stream(StreamKind::non_blocking, 0);
  EdgeWait all(call_site);
  for (const exec::Edge& edge : context.under_way())
    if (!edge.reached()) all.wait_for(edge);
  Context::run_or_offer(*marker, context.submit_for_helper(*marker, std::move(all)));
  observers().notify(&Observer::joined_context, *marker);
  return record(*marker, call_site);
}

Result<> Event::wait_in_all(Context& context) {
  if (exec::Edge edge = TRY(condition(context))) context.add_wait(std::move(edge));
  return {};
}

Result<> Event::query(Stream::Asks asks) {
  if (const SharedEvent::Mark mark = foreign(); mark.number != 0) [[unlikely]] {
    const SharedEvent::State state = shared_->state(mark);
    if (state == SharedEvent::State::completed) return {};
    if (state == SharedEvent::State::lost) return shared_->lost(mark);
    if (asks == Stream::Asks::command) return Error::not_ready;
    // Another process may wait for what this one has yet to do.
    if (exec::Scheduler* const scheduler = exec::Scheduler::get()) scheduler->asked_for_outside();
    exec::Workers::get().stand_in();
    return Error::not_ready;
  }
  Ref<EventRecord> record = last();
  if (!record) return {};
  if (record->completed()) {
    tell_completed(*record);
    return {};
  }
  if (asks == Stream::Asks::command) return Error::not_ready;
  if (exec::Scheduler* const scheduler = exec::Scheduler::get())
    scheduler->asked_for(*record->timeline->queue(), record->value);
  exec::Workers::get().stand_in();
  return Error::not_ready;
}

Result<> Event::wait_for_foreign(const SharedEvent::Mark& mark) {
  TRY(exec::Poller::get().start());
  const auto record = make_ref<ForeignRecord>(shared_, mark, nullptr);
  exec::wait_for_outside(record,
                         options_.blocking_sync ? exec::Patience::block : context_->patience());
  if (record->lost()) return shared_->lost(mark);
  return {};
}

Result<Ref<EventRecord>> Event::synchronise() {
  if (const SharedEvent::Mark mark = foreign(); mark.number != 0) [[unlikely]] {
    TRY(wait_for_foreign(mark));
    return Ref<EventRecord>();
  }
  Ref<EventRecord> record = last();
  if (!record) return record;
  exec::help_until(*record->timeline->queue(), record->value,
                   options_.blocking_sync ? exec::Patience::block : context_->patience());
  context_->prints().flush();
  tell_completed(*record);
  return record;
}

Result<float> Event::elapsed(Event& start, Event& end) {
  const Ref<EventRecord> from = start.last(), to = end.last();
  if (!from || !to)
    return refuse(Error::invalid_handle,
                  "Both events must be recorded to measure the time between them.");
  // Measured, whether they are complete or not.
  if (&start.context_->device() != &end.context_->device())
    return refuse(Error::invalid_handle,
                  "The two events belong to different devices, whose clocks are unrelated.");
  if (!start.options_.timing || !end.options_.timing)
    return refuse(Error::invalid_handle,
                  "To measure the time between two events, both must be created without "
                  "CU_EVENT_DISABLE_TIMING.");
  if (!from->completed() || !to->completed()) return Error::not_ready;
  tell_completed(*from);
  tell_completed(*to);
  return static_cast<float>(static_cast<double>(to->time_ns - from->time_ns) / 1e6);
}

}  // namespace cuvette::device
