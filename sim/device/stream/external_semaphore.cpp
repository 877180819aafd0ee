// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/external_semaphore.hpp"

#include <utility>
#include <vector>

#include "sim/base/sanitizer.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/output.hpp"

namespace cuvette::device {
namespace {

// How long a wait outlives its context, since others may be about to signal; and how long if
// another stream of this process has announced a signal, which may follow much work or depend on
// this very wait.
constexpr int64_t patience_ns = 500'000'000, patience_for_own_ns = 10'000'000'000;

// The address under which the poller is notified of this process's signals. No memory has it.
uint64_t place_of(const ExternalSemaphore& semaphore) {
  return UINT64_MAX - 1 - (semaphore.id() & 0xffff);
}

}  // namespace

ExternalSemaphore::ExternalSemaphore(SemaphoreKind kind)
    : kind_(kind), id_(Machine::get().next_id()) {
  recorded_.begin(record_format::ResourceKind::external_semaphore);
}

void ExternalSemaphore::written() {
  const uint64_t place = place_of(*this);
  exec::Poller::get().written(place, place + 1);
}

void ExternalSemaphore::announce(const Stream& stream, bool more) {
  MutexLock lock(mutex_);
  if (more) {
    ++announced_[stream.id()];
  } else if (const auto entry = announced_.find(stream.id()); --entry->second == 0) {
    announced_.erase(entry);
  }
}

bool ExternalSemaphore::announced_besides(const Stream& stream) {
  MutexLock lock(mutex_);
  return announced_.size() > announced_.count(stream.id());
}

SemaphoreAction::SemaphoreAction(Stream& stream, const SemaphoreOperation& operation, bool signals)
    : Polled(place_of(*operation.semaphore), place_of(*operation.semaphore) + 1),
      stream_(stream),
      semaphore_(operation.semaphore),
      value_(operation.value),
      signals_(signals) {
  if (!signals_) return;
  withdrawn_.store(false, std::memory_order_relaxed);
  semaphore_->announce(stream_, true);
}

SemaphoreAction::~SemaphoreAction() { settled(); }

void SemaphoreAction::settled() {
  if (!withdrawn_.exchange(true, std::memory_order_relaxed)) semaphore_->announce(stream_, false);
}

bool SemaphoreAction::given_up() {
  const int64_t ended = stream_.context().ended_ns();
  if (ended == 0) return false;
  const int64_t waited = os::now_ns() - ended;
  const bool own = !signals_ && semaphore_->announced_besides(stream_);
  if (waited < (own ? patience_for_own_ns : patience_ns)) return false;
  if (stream_.context().give_up())
    os::say(
        "a context ends while one of its streams waits for an external semaphore that is never "
        "signalled: the wait and the work after it are abandoned.");
  return true;
}

bool SemaphoreAction::look() {
  // Work after an error is not done, so it is not signalled to other processes as done.
  if (stream_.context().error()) {
    settled();
    return true;
  }
  if (signals_) release_at(semaphore_.get());
  switch (signals_ ? semaphore_->signal(value_) : semaphore_->wait(value_)) {
    case ExternalSemaphore::Progress::pending:
      if (!given_up()) return false;
      break;
    case ExternalSemaphore::Progress::done:
      if (!signals_) acquire_at(semaphore_.get());
      break;
    case ExternalSemaphore::Progress::lost:
      os::say("the memory of an external semaphore is gone: its file has been made smaller.");
      stream_.context().fail(Error::external_device);
      break;
  }
  settled();
  return true;
}

exec::Edge SemaphoreAction::begin() {
  if (!begun_) {
    begun_ = true;
    if (look()) {
      if (signals_) semaphore_->written();
      return {};
    }
    exec::Poller::get().watch(Ref<exec::Polled>(this), semaphore_->writers_report());
  }
  return {Ref<exec::Timeline>(this), 1};
}

Progress SemaphoreCall::step(OperationRunner&) {
  for (; done_ < actions_.size(); ++done_)
    if (exec::Edge edge = actions_[done_]->begin(); !edge.reached())
      return Progress::blocked(std::move(edge));
  done_ = 0;
  return Progress::done();
}

namespace {

// The poller must be running.
SemaphoreCall call_of(Stream& stream, std::span<const SemaphoreOperation> operations, bool signals,
                      const void* call_site) {
  std::vector<Ref<SemaphoreAction>> actions;
  actions.reserve(operations.size());
  for (const SemaphoreOperation& operation : operations)
    actions.push_back(make_ref<SemaphoreAction>(stream, operation, signals));
  return SemaphoreCall(std::move(actions), signals, call_site);
}

}  // namespace

Result<SemaphoreCall> make_semaphore_call(Stream& stream,
                                          std::span<const SemaphoreOperation> operations,
                                          bool signals, const void* call_site) {
  TRY(exec::Poller::get().start());
  return call_of(stream, operations, signals, call_site);
}

Result<> submit(Stream& stream, std::span<const SemaphoreOperation> operations, bool signals,
                const void* call_site) {
  TRY(exec::Poller::get().start());
  for (const SemaphoreOperation& operation : operations)
    stream.context().submit(stream, call_of(stream, {&operation, 1}, signals, call_site));
  return {};
}

}  // namespace cuvette::device
