// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream.hpp"

#include <algorithm>
#include <new>
#include <thread>

#include "sim/device/capture.hpp"
#include "sim/device/context.hpp"
#include "sim/device/external_semaphore.hpp"
#include "sim/device/graph_run.hpp"
#include "sim/device/kernel.hpp"
#include "sim/device/machine.hpp"
#include "sim/device/misuse.hpp"
#include "sim/device/thread.hpp"
#include "sim/device/value_operation.hpp"
#include "sim/exec/pause.hpp"
#include "sim/exec/poller.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/workers.hpp"
#include "sim/memory/copy.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/fault.hpp"
#include "sim/sanitizer.hpp"

namespace cuvette::device {

struct Stream::Chunk {
  Chunk* next = nullptr;
  // Each command in cache lines of its own: one is written while the one before it is read.
  struct alignas(64) Slot {
    std::byte bytes[sizeof(Command)];
  };
  Slot storage[chunk_size];

  Command& at(uint64_t number) {
    return *std::launder(reinterpret_cast<Command*>(storage[(number - 1) % chunk_size].bytes));
  }
};

namespace {

// What may have to wait for somebody outside, and is looked at again when that has come.
bool looks_outside(CommandKind kind) {
  return kind == CommandKind::value_wait || kind == CommandKind::semaphore_wait ||
         kind == CommandKind::semaphore_signal;
}

bool calls_host(const Command& command) {
  return command.kind == CommandKind::host_function || command.kind == CommandKind::callback;
}

bool waits_outside(const Command& command) {
  if (command.kind == CommandKind::value_wait) return command.run.get() != nullptr;
  return looks_outside(command.kind) && static_cast<const SemaphoreAction&>(*command.run).begun();
}

}  // namespace

Stream::Stream(Context& context, StreamKind kind, int priority, uint64_t id)
    : SerialQueue(static_cast<unsigned>(-priority)),
      context_(context),
      kept_context_(kind == StreamKind::legacy ? nullptr : &context),
      context_generation_(context.generation()),
      kind_(kind),
      priority_(priority),
      id_(id) {
  take_lane();
}

Stream::~Stream() {
  Machine::get().observers().notify(&Observer::ended, *this);
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
    case 2:
      return exec::Patience::spin;
    case 3:
      return exec::Patience::yield;
    case 4:
      return exec::Patience::block;
    default:
      return context_.patience();
  }
}

bool Stream::answer_completed(uint64_t number) {
  if (reached(number)) {
    Machine::get().observers().notify(&Observer::waited_for, *this, number);
    return true;
  }
  if (exec::Scheduler* const scheduler = exec::Scheduler::get())
    scheduler->asked_for(*this, number);
  exec::Workers::get().stand_in();
  return false;
}

bool Stream::answer_idle() {
  if (kind_ == StreamKind::legacy) {
    const auto pending = context_.before_legacy();
    if (!pending.empty()) {
      const auto& [stream, last] = pending.front();
      if (exec::Scheduler* const scheduler = exec::Scheduler::get())
        scheduler->asked_for(*stream, last);
      return false;
    }
  }
  return answer_completed(submitted());
}

uint64_t Stream::append(Command&& command) {
  MutexLock lock(append_mutex_);
  if (const uint64_t waits = context_.waits(); waits != waits_seen_) [[unlikely]] {
    context_.add_waits(*this, command);
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
  auto* slot = new (tail_->storage[(number - 1) % chunk_size].bytes) Command(std::move(command));
  Machine::get().observers().notify(&Observer::submitted, *this, number, *slot);
  release_at(&submitted_);
  submitted_.store(number, std::memory_order_seq_cst);
  return number;
}

Command& Stream::command(uint64_t number) {
  if (!head_) {
    head_ = first_.load(std::memory_order_relaxed);
  } else if (head_exhausted_) {
    Chunk* exhausted = std::exchange(head_, head_->next);
    head_exhausted_ = false;
    delete spare_.exchange(exhausted, std::memory_order_release);
  }
  return head_->at(number);
}

void Stream::finish(uint64_t number, Command& command) {
  Machine::get().observers().notify(&Observer::completed, *this, number, command);
  command.~Command();
  // The next chunk may not be there yet, so the turn to it comes with the next command.
  head_exhausted_ = number % chunk_size == 0;
  advance(number);
}

bool Stream::edges_reached(Command& command) {
  const auto reached = [this](const exec::Edge& edge) {
    if (edge.reached()) return true;
    blocked_on_ = edge;
    return !edge.timeline->add(*this, edge.value);
  };
  if (!reached(command.after)) return false;
  if (command.also_after)
    for (const exec::Edge& edge : *command.also_after)
      if (!reached(edge)) return false;
  return true;
}

void Stream::drain(uint64_t target) {
  if (blocked_on_.timeline) {
    if (!blocked_on_.reached()) return;
    blocked_on_.timeline->remove(*this);
    blocked_on_ = {};
  }
  uint64_t number = completed() + 1;
  // Looked at once for all commands that are there: the submitter is writing it.
  uint64_t last = 0;
  for (;; ++number) {
    if (number > last) {
      last = submitted_.load(std::memory_order_seq_cst);
      if (number > last) return leave_ended_context();
      acquire_at(&submitted_);
    }
    Command& next = command(number);
    if (number > target && !(on_host_thread_ && calls_host(next))) break;
    if (!waits_outside(next) && host_call_.load(std::memory_order_acquire) == HostCall::none) {
      if (!edges_reached(next)) return;
      if (blocked_on_.timeline) blocked_on_ = {};
      Machine::get().observers().notify(&Observer::started, *this, number, next);
    }
    if (calls_host(next)) {
      switch (host_call_.load(std::memory_order_acquire)) {
        case HostCall::posted:
          return;
        case HostCall::none:
          if (next.kind == CommandKind::host_function && context_.error()) break;
          host_call_.store(HostCall::posted, std::memory_order_relaxed);
          park();
          context_.host_thread().post(*this);
          return;
        case HostCall::done:
          acquire_at(&host_call_);
          host_call_.store(HostCall::none, std::memory_order_relaxed);
          break;
      }
    } else if (next.kind == CommandKind::kernel) {
      if (!run_kernel(number, next)) return;
    } else if (next.kind == CommandKind::graph) {
      if (!run_graph(number, next)) return;
    } else if (looks_outside(next.kind)) {
      if (!outside_reached(next)) return;
    } else {
      execute(number, next);
    }
    finish(number, next);
  }
  want_again();
}

bool Stream::run_graph(uint64_t number, Command& command) {
  auto& run = static_cast<GraphRun&>(*command.run);
  switch (host_call_.load(std::memory_order_acquire)) {
    case HostCall::none:
      host_call_.store(HostCall::posted, std::memory_order_relaxed);
      if (!run.start(number)) {
        // Under a schedule the steps are a queue, which a waiting thread helps on.
        if (exec::Edge end = run.end(); end.timeline && end.timeline->add(*this, end.value))
          blocked_on_ = std::move(end);
        return false;
      }
      break;
    case HostCall::posted:
      if (!run.help()) return false;
      break;
    case HostCall::done:
      acquire_at(&host_call_);
      break;
  }
  host_call_.store(HostCall::none, std::memory_order_relaxed);
  return true;
}

bool Stream::run_kernel(uint64_t number, Command& command) {
  auto& run = static_cast<KernelRun&>(*command.run);
  while (!run.run(*this, number, command)) {
    host_call_.store(HostCall::posted, std::memory_order_relaxed);
    blocked_on_ = run.pause();
    if (!blocked_on_.timeline) {
      want_again();
      return false;
    }
    if (blocked_on_.timeline->add(*this, blocked_on_.value)) return false;
    blocked_on_ = {};
  }
  host_call_.store(HostCall::none, std::memory_order_relaxed);
  return true;
}

void Stream::graph_finished(uint64_t number) {
  release_at(&host_call_);
  host_call_.store(HostCall::done, std::memory_order_release);
  if (try_claim()) {
    drain(number);
    unclaim();
  } else {
    offer();
  }
}

bool Stream::post_host_call(uint64_t number) {
  if (completed() + 1 != number || lane()) return false;
  // A runner that is there has nothing else to do: it posts the call itself or leaves at once, if
  // it has a processor.
  exec::Spinner spinner(exec::Spinner::brief);
  while (completed() + 1 == number &&
         host_call_.load(std::memory_order_relaxed) == HostCall::none) {
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
  // A runner that has done all there was may be about to leave, or to find this command.
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

void Stream::call_host() {
  // The runner has left: it cannot pass this command, which stays where it is until it is done.
  const Command& call = head_->at(completed() + 1);
  const Thread::HostFunctionScope scope;
  if (call.kind == CommandKind::host_function) {
    call.function(call.data);
  } else {
    const auto error = context_.error();
    call.callback(handle.load(std::memory_order_relaxed), error ? static_cast<int>(*error) : 0,
                  call.data);
  }
}

void Stream::host_called(bool returned) {
  // Once this says `done`, the command can be finished and the program can drop the stream.
  const Ref<Stream> self(this);
  const uint64_t number = completed() + 1;
  if (!returned) notify_thread_ended(head_->at(number).call_site);
  release_at(&host_call_);
  host_call_.store(HostCall::done, std::memory_order_release);
  unpark();
  // Completing the command here saves whoever waits for it the way through a worker, and a function
  // that follows is this thread's anyway. What else follows is theirs.
  if (try_claim()) {
    on_host_thread_ = !lane();
    drain(number);
    on_host_thread_ = false;
    unclaim();
  } else {
    offer();
  }
}

void Stream::execute(uint64_t number, Command& command) {
  switch (command.kind) {
    case CommandKind::copy:
    case CommandKind::fill:
      if (!context_.error()) transfer(number, command);
      return;
    case CommandKind::value_write:
      if (!context_.error()) write(number, command);
      return;
    case CommandKind::event_record:
      if (command.record) command.record->time_ns.store(os::now_ns(), std::memory_order_relaxed);
      return;
    case CommandKind::allocate:
      Machine::get().memory().fill_fresh(*command.writes_in.allocation());
      return;
    case CommandKind::discard:
      if (!context_.error())
        Machine::get().memory().fill_fresh(command.writes.address, command.writes.width);
      return;
    case CommandKind::free:
      Machine::get().memory().end(*command.writes_in.allocation());
      return;
    case CommandKind::event_wait:
    case CommandKind::graph:
    case CommandKind::graphics_unmap:
    case CommandKind::host_function:
    case CommandKind::callback:
    case CommandKind::value_wait:
    case CommandKind::value_batch:
    case CommandKind::semaphore_signal:
    case CommandKind::semaphore_wait:
    case CommandKind::kernel:
      return;
  }
}

bool Stream::outside_reached(Command& command) {
  exec::Edge edge = command.kind == CommandKind::value_wait
                        ? value_edge(context_, command)
                        : static_cast<SemaphoreAction&>(*command.run).begin();
  if (edge.reached()) return true;
  blocked_on_ = edge;
  if (edge.timeline->add(*this, edge.value)) return false;
  blocked_on_ = {};
  return true;
}

void Stream::write(uint64_t number, Command& command) {
  os::MemoryFault fault;
  if (!write_value(command, fault)) {
    Machine::get().observers().notify(&Observer::faulted, *this, number, command, fault);
    context_.fail(Error::illegal_address);
  }
  exec::Poller::get().written(command.writes.address, command.writes.address + command.element);
}

namespace {

// The parts of a copy or fill, run by whoever has time.
class TransferPieces final : public exec::Pieces {
 public:
  TransferPieces(const Command& command, size_t count) : command_(command), count_(count) {}

  void run(size_t index) override {
    os::DeviceAccess access;
    os::FaultScope scope;
    if (command_.kind == CommandKind::copy) {
      memory::copy_piece(command_.writes, command_.reads, index, count_);
    } else {
      memory::fill_piece(command_.writes, command_.value, command_.element, index, count_);
    }
    if (scope.faulted()) [[unlikely]] {
      if (!faulted_.exchange(true, std::memory_order_relaxed)) fault_ = scope.first();
    }
  }

  // Once all pieces have returned.
  const os::MemoryFault* fault() const {
    return faulted_.load(std::memory_order_relaxed) ? &fault_ : nullptr;
  }

 private:
  const Command& command_;
  const size_t count_;
  std::atomic<bool> faulted_{false};
  os::MemoryFault fault_{};
};

bool overlap(const memory::Region& a, const memory::Region& b) {
  return a.address < b.address + b.extent() && b.address < a.address + a.extent();
}

}  // namespace

void Stream::transfer(uint64_t number, Command& command) {
  // Who shrinks the file of an imported segment raises SIGBUS here: our handler must be in front.
  if (command.may_lose_pages) os::watch_faults(Machine::get().fault_hook());
  size_t count = memory::pieces(command.writes);
  if (command.kind == CommandKind::copy && overlap(command.writes, command.reads)) count = 1;
  TransferPieces transfer(command, count);
  if (count == 1) {
    transfer.run(0);
  } else {
    exec::Workers::get().run_pieces(count, transfer);
  }
  if (const os::MemoryFault* fault = transfer.fault()) {
    Machine::get().observers().notify(&Observer::faulted, *this, number, command, *fault);
    context_.fail(Error::illegal_address);
  }
  exec::Poller::get().written(command.writes.address,
                              command.writes.address + command.writes.extent());
}

}  // namespace cuvette::device
