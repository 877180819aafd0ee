// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/stream.hpp"

#include <algorithm>
#include <new>
#include <thread>

#include "sim/base/sanitizer.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/exec/workers.hpp"

namespace cuvette::device {

struct Stream::Chunk {
  Chunk* next = nullptr;
  // Each operation in separate cache lines: one is written while the one before it is read.
  struct alignas(AnyOperation) Slot {
    std::byte bytes[sizeof(AnyOperation)];
  };
  Slot storage[chunk_size];

  void* place(uint64_t number) { return storage[(number - 1) % chunk_size].bytes; }
  AnyOperation& at(uint64_t number) {
    return *std::launder(static_cast<AnyOperation*>(place(number)));
  }
};

Stream::Stream(Context& context, StreamKind kind, int priority, uint64_t id)
    : SerialQueue(static_cast<unsigned>(-priority)),
      context_(context),
      kept_context_(kind == StreamKind::legacy ? nullptr : &context),
      context_generation_(context.generation()),
      kind_(kind),
      id_(id) {
  take_lane(static_cast<uint32_t>(id));
  context.stream_count.fetch_add(1, std::memory_order_relaxed);
}

Stream::~Stream() {
  // An event keeps a legacy stream longer than its context lives, which counts no more then.
  if (kept_context_) context_.stream_count.fetch_sub(1, std::memory_order_relaxed);
  observers().notify(&Observer::ended, *this);
  // Only an idle stream loses its last reference: the context holds those with work.
  delete head_;
  if (!head_) delete first_.load(std::memory_order_relaxed);
  delete spare_.load(std::memory_order_relaxed);
}

void Stream::keep_ended_context(Context& context) {
  Context* const kept = Ref<Context>(&context).leak();
  // Sequentially consistent against leave_ended_context().
  if (Context* const before = ended_context_.exchange(kept, std::memory_order_seq_cst))
    before->release();
}

Ref<Context> Stream::take_ended_context() {
  return Ref<Context>::adopt(ended_context_.exchange(nullptr, std::memory_order_seq_cst));
}

// The runner calls this when the last command is completed: either this sees that the context has
// ended, or the thread that ends it sees the completion. Without the reference that it takes here
// the context may be gone.
void Stream::leave_ended_context() {
  if (!ended_context_.load(std::memory_order_seq_cst)) [[likely]]
    return;
  if (const Ref<Context> context = take_ended_context()) context->leave(*this);
}

exec::Patience Stream::patience() const {
  switch (sync_policy.load(std::memory_order_relaxed)) {
    case SyncPolicy::spin:
      return exec::Patience::spin;
    case SyncPolicy::yield:
      return exec::Patience::yield;
    case SyncPolicy::blocking:
      return exec::Patience::block;
    default:
      return context_.patience();
  }
}

bool Stream::answer_completed(uint64_t number, Asks asks) {
  if (reached(number)) {
    observers().notify(&Observer::waited_for, *this, number);
    return true;
  }
  if (asks == Asks::command) return false;
  if (exec::Scheduler* const scheduler = exec::Scheduler::get())
    scheduler->asked_for(*this, number);
  exec::Workers::get().stand_in();
  return false;
}

bool Stream::answer_idle(Asks asks) {
  if (kind_ == StreamKind::legacy) {
    const Observers& observers = device::observers();
    observers.notify(&Observer::synchronising, context_, Streams::blocking);
    const auto pending = context_.before_legacy();
    if (!pending.empty()) {
      if (asks == Asks::command) return false;
      const auto& [stream, last] = pending.front();
      if (exec::Scheduler* const scheduler = exec::Scheduler::get())
        scheduler->asked_for(*stream, last);
      exec::Workers::get().stand_in();
      return false;
    }
    if (reached(submitted()))
      observers.notify(&Observer::synchronised, context_, Streams::blocking);
  }
  return answer_completed(submitted(), asks);
}

uint64_t Stream::append(Operation&& operation) {
  MutexLock lock(append_mutex_);
  if (const uint64_t waits = context_.waits(); waits != waits_seen_) [[unlikely]] {
    context_.add_waits(*this, operation);
    waits_seen_ = waits;
  }
  const uint64_t number = submitted_.load(std::memory_order_relaxed) + 1;
  if ((number - 1) % chunk_size == 0) {
    Chunk* chunk = spare_.exchange(nullptr, std::memory_order_acquire);
    if (!chunk) chunk = new Chunk;
    chunk->next = nullptr;
    if (tail_) {
      tail_->next = chunk;
    } else {
      first_.store(chunk, std::memory_order_relaxed);
    }
    tail_ = chunk;
  }
  if (lane()) [[unlikely]]
    exec::Scheduler::get()->submitted(*lane(), number);
  const auto* appended = new (tail_->place(number)) AnyOperation(std::move(operation));
  observers().notify(&Observer::submitted, *this, number, **appended);
  release_at(&submitted_);
  submitted_.store(number, std::memory_order_seq_cst);
  return number;
}

Operation& Stream::operation(uint64_t number) {
  if (!head_) {
    head_ = first_.load(std::memory_order_relaxed);
  } else if (head_exhausted_) {
    Chunk* exhausted = std::exchange(head_, head_->next);
    head_exhausted_ = false;
    delete spare_.exchange(exhausted, std::memory_order_release);
  }
  return *head_->at(number);
}

void Stream::finish(uint64_t number, Operation& operation) {
  begun_ = false;
  observers().notify(&Observer::completed, *this, number, operation);
  head_->at(number).~AnyOperation();
  // The next chunk may not be there yet, so the switch to it waits for the next command.
  head_exhausted_ = number % chunk_size == 0;
  advance(number);
}

void Stream::drain(uint64_t target) {
  if (blocked_on_.timeline) {
    if (!blocked_on_.reached()) return;
    blocked_on_.timeline->remove(*this);
    blocked_on_ = {};
  }
  uint64_t number = completed() + 1;
  goes_on_ = false;
  // Read once for all commands that are there, because the submitter writes it.
  uint64_t last = 0;
  for (;; ++number) {
    if (number > last) {
      last = submitted_.load(std::memory_order_seq_cst);
      if (number > last) return leave_ended_context();
      acquire_at(&submitted_);
    }
    Operation& next = operation(number);
    if (number > target && !(on_host_thread_ && next.calls_host())) break;
    if (!go_on(number, next)) return;
    finish(number, next);
    goes_on_ = true;
  }
  want_again();
}

bool Stream::go_on(uint64_t number, Operation& operation) {
  switch (elsewhere_.load(std::memory_order_acquire)) {
    case Elsewhere::yes:
      if (!operation.help()) return false;
      elsewhere_.store(Elsewhere::no, std::memory_order_relaxed);
      return true;
    case Elsewhere::done:
      acquire_at(&elsewhere_);
      elsewhere_.store(Elsewhere::no, std::memory_order_relaxed);
      return true;
    case Elsewhere::no:
      break;
  }
  if (!begun_) {
    while (exec::Edge edge = operation.unreached())
      if (park_until(std::move(edge))) return false;
    begun_ = true;
    observers().notify(&Observer::started, *this, number, operation);
  }
  for (;;) {
    Progress progress = operation.step(*this);
    switch (progress.state) {
      case Progress::State::done:
        elsewhere_.store(Elsewhere::no, std::memory_order_relaxed);
        return true;
      case Progress::State::elsewhere:
        if (progress.edge) park_until(std::move(progress.edge));
        return false;
      case Progress::State::blocked:
        if (!progress.edge) {
          want_again();
          return false;
        }
        if (park_until(std::move(progress.edge))) return false;
    }
  }
}

bool Stream::park_until(exec::Edge edge) {
  blocked_on_ = std::move(edge);
  if (blocked_on_.timeline->add(*this, blocked_on_.value)) return true;
  blocked_on_ = {};
  return false;
}

void Stream::hand_over(bool help) {
  elsewhere_.store(Elsewhere::yes, std::memory_order_relaxed);
  if (!help) park();
}

void Stream::done_elsewhere(bool host_thread) {
  // Once elsewhere_ is `done`, the operation can be finished and the program can drop the stream.
  const Ref<Stream> self(this);
  const uint64_t number = completed() + 1;
  release_at(&elsewhere_);
  elsewhere_.store(Elsewhere::done, std::memory_order_release);
  unpark();
  // Completing the operation here spares its waiters the detour through a worker, and the host
  // thread must run a host function that follows anyway. Other commands are left to the workers.
  if (try_claim()) {
    on_host_thread_ = host_thread && !lane();
    drain(number);
    on_host_thread_ = false;
    unclaim();
  } else {
    offer();
  }
}

bool Stream::post_host_call(uint64_t number) {
  if (completed() + 1 != number || lane()) return false;
  // A present runner has nothing else to do: as soon as it has a processor, it posts the call
  // itself or leaves.
  exec::Spinner spinner(exec::Spinner::brief);
  while (completed() + 1 == number && elsewhere_.load(std::memory_order_relaxed) == Elsewhere::no) {
    if (!try_claim()) {
      if (!spinner.spin()) std::this_thread::yield();
      continue;
    }
    drain(number);
    unclaim();
    break;
  }
  return true;
}

bool Stream::run_if_next(uint64_t number) {
  if (lane()) return false;
  // A runner that has run out of commands may be about to leave, or to find this one.
  exec::Spinner spinner(exec::Spinner::brief);
  while (completed() + 1 == number) {
    if (try_claim()) {
      drain(number);
      unclaim();
      return true;
    }
    if (!spinner.spin()) return false;
  }
  return completed() >= number;
}

}  // namespace cuvette::device
