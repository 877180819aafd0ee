// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/workers.hpp"

#include <algorithm>
#include <thread>

#include "sim/exec/exit_gate.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/os/futex.hpp"
#include "sim/os/output.hpp"
#include "sim/os/thread_limit.hpp"

namespace cuvette::exec {

std::atomic<Workers*> Workers::instance_{nullptr};

namespace {

// How long a pump lets the program go first, in pauses of some 50 ns. When work turns up after a
// lull, the program gets a moment to submit more, or to wait for it and so run it itself; when the
// stream that the pump ran last is being fed, it gets time to feed it. Taking each command, with
// its cache lines, away as it comes would slow both sides down.
constexpr int first_moment = 30, feeding_moment = 240;

// On a crowded machine pauses would take the program's own time. There a pump without work sleeps
// for `look_again` nanoseconds and looks again by itself, up to `most_looks` times: waking it for
// work that the program is about to run itself would cost more than that work.
constexpr int64_t look_again = 50'000;
constexpr int most_looks = 20;

void pause_for(int pauses) {
  for (int i = 0; i < pauses; ++i) pause_processor();
}

}  // namespace

// The state that run_pieces() shares with the workers that join it. It lives on the caller's stack.
struct Workers::Team {
  Pieces& pieces;
  const size_t count;
  // Guarded by the list's mutex.
  uint32_t places;       // how many more may join
  uint32_t members = 0;  // how many have joined
  bool asleep = false;   // the caller sleeps until all members have left
  Team* following = nullptr;

  std::atomic<size_t> next{0};
  std::atomic<uint32_t> left{0};  // members that are done; written with the mutex held

  void work() {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) pieces.run(i);
  }
};

void Workers::start(unsigned count) {
  // The program, too, needs part of what `ulimit -v` leaves.
  count = std::clamp(os::threads_that_fit(), 1u, count);
  instance_.store(new Workers(count), std::memory_order_release);
}

Workers::Workers(unsigned count)
    : count_(count), patient_pumps_(count > 2 ? 2 : 1), arenas_(count, [] { get().pump(); }) {}

void Workers::push(SerialQueue& queue) {
  queue.retain();
  {
    MutexLock lock(mutex_);
    List& list = lists_[std::min(queue.urgency(), urgencies - 1)];
    queue.next_ready_ = nullptr;
    (list.last ? list.last->next_ready_ : list.first) = &queue;
    list.last = &queue;
    ready_.fetch_add(1, std::memory_order_seq_cst);
  }
  call_pumps();
}

void Workers::call_pumps() {
  // The called pumps call others, so that many of them start sooner than one thread could wake
  // them.
  int calls_left = 2;
  // Sequentially consistent against the end of pump(): either the pump that leaves sees the new
  // ready count, or this sees that it is gone.
  while (ready_.load(std::memory_order_seq_cst) > searching_.load(std::memory_order_seq_cst)) {
    uint32_t pumps = pumps_.load(std::memory_order_seq_cst);
    if (calls_left == 0 || pumps >= count_ || ExitGate::get().closed()) return;
    if (!pumps_.compare_exchange_weak(pumps, pumps + 1, std::memory_order_seq_cst)) continue;
    searching_.fetch_add(1, std::memory_order_seq_cst);
    const bool called = arenas_.call();
    if (called == alone_.load(std::memory_order_relaxed)) note_alone(!called);
    if (called) {
      --calls_left;
      continue;
    }
    searching_.fetch_sub(1, std::memory_order_seq_cst);
    pumps_.fetch_sub(1, std::memory_order_seq_cst);
    return;
  }
}

void Workers::note_alone(bool alone) {
  if (!alone_.exchange(alone, std::memory_order_relaxed) && alone)
    os::say(
        "The system provides no thread to run the device's work (see `ulimit -u` and pids.max): "
        "the "
        "threads that call Cuvette run it.");
}

void Workers::run_ready() {
  // A queue that is offered again meanwhile, because it has to wait, has its turn at the next call.
  for (uint32_t count = ready_.load(std::memory_order_seq_cst); count > 0; --count) {
    const Ref<SerialQueue> queue = pop();
    if (!queue) return;
    run(*queue);
  }
}

Ref<SerialQueue> Workers::pop() {
  MutexLock lock(mutex_);
  for (unsigned urgency = urgencies; urgency-- > 0;) {
    List& list = lists_[urgency];
    if (SerialQueue* queue = list.first) {
      list.first = queue->next_ready_;
      if (!list.first) list.last = nullptr;
      ready_.fetch_sub(1, std::memory_order_relaxed);
      // An exchange, not a store, so that an enlist() that found the queue listed happens before
      // what the caller then reads of its state.
      queue->listed_.exchange(false, std::memory_order_acq_rel);
      return Ref<SerialQueue>::adopt(queue);
    }
  }
  return nullptr;
}

void Workers::sleep_a_moment() { os::sleep_while(nobody_wakes_, 0, look_again); }

void Workers::pump() {
  Spinner spinner(Spinner::usual);
  const SerialQueue* previous = nullptr;  // only compared: it may be gone
  int moment = first_moment;
  int looks = 0;  // how often it has slept and looked since it had something to do
  // Whoever started the pump has counted it as searching.
  for (;;) {
    if (!ExitGate::get().closed() && ready_.load(std::memory_order_seq_cst) > 0) {
      if (!Oversubscription::seen()) {
        pause_for(moment);
      } else if (looks > 0) {
        sleep_a_moment();
      }
      moment = looks = 0;
      searching_.fetch_sub(1, std::memory_order_seq_cst);
      if (Team* const team = join_team()) {
        call_pumps();  // for what this one does not take
        work_in(*team);
      } else {
        if (Ref<SerialQueue> queue = pop()) {
          call_pumps();
          moment = queue.get() == previous ? feeding_moment : 0;
          previous = queue.get();
          run(*queue);
        }
      }
      searching_.fetch_add(1, std::memory_order_seq_cst);
      spinner.restart();
      continue;
    }
    // A few searching pumps are enough to catch the next submissions without a start.
    moment = first_moment;
    if (searching_.load(std::memory_order_relaxed) <= patient_pumps_ && spinner.spin()) {
      std::this_thread::yield();  // with few cores, another thread may have something to do
      continue;
    }
    if (Oversubscription::seen() && searching_.load(std::memory_order_relaxed) == 1 &&
        looks < most_looks) {
      ++looks;
      sleep_a_moment();
      continue;
    }
    looks = 0;
    searching_.fetch_sub(1, std::memory_order_seq_cst);
    pumps_.fetch_sub(1, std::memory_order_seq_cst);
    if (ready_.load(std::memory_order_seq_cst) == 0 || ExitGate::get().closed()) return;
    // Something came in between, and perhaps nobody was called for it.
    uint32_t pumps = pumps_.load(std::memory_order_seq_cst);
    if (pumps >= count_ || !pumps_.compare_exchange_strong(pumps, pumps + 1)) {
      call_pumps();
      return;
    }
    searching_.fetch_add(1, std::memory_order_seq_cst);
  }
}

void Workers::run(SerialQueue& queue) {
  ExitGate& gate = ExitGate::get();
  if (!gate.begin()) return;
  if (!queue.try_claim()) return gate.end();  // it has a runner, which will see that it is wanted
  // A queue that is fed without end goes to the end of the list after its turn, so that others are
  // not kept waiting.
  constexpr uint64_t turn = 256;
  queue.drain(queue.completed() + turn);
  queue.unclaim();
  gate.end();
}

Workers::Team* Workers::join_team() {
  MutexLock lock(mutex_);
  Team* const team = teams_;
  if (!team) return nullptr;
  ++team->members;
  ready_.fetch_sub(1, std::memory_order_relaxed);
  if (--team->places == 0) teams_ = team->following;
  return team;
}

void Workers::work_in(Team& team) {
  team.work();
  MutexLock lock(mutex_);
  const bool asleep = team.asleep;
  team.left.fetch_add(1, std::memory_order_release);  // from here on it may be gone
  if (asleep) team_left_.notify_all();
}

void Workers::run_pieces(size_t count, Pieces& pieces) {
  const auto places = static_cast<uint32_t>(std::min<size_t>(count - 1, count_));
  if (places == 0) {
    pieces.run(0);
    return;
  }
  Team team{pieces, count, places};
  {
    MutexLock lock(mutex_);
    team.following = teams_;
    teams_ = &team;
    ready_.fetch_add(places, std::memory_order_seq_cst);
  }
  call_pumps();
  team.work();
  uint32_t members;
  {
    MutexLock lock(mutex_);
    if (team.places > 0) {
      Team** link = &teams_;
      while (*link != &team) link = &(*link)->following;
      *link = team.following;
      ready_.fetch_sub(team.places, std::memory_order_relaxed);
    }
    members = team.members;
  }
  // Members are at their last piece, for which sleeping is not worth while, unless a member has no
  // processor: then this thread must give up its own.
  const auto left = [&] { return team.left.load(std::memory_order_acquire) == members; };
  Spinner spinner(Spinner::usual);
  while (!left()) {
    if (spinner.spin()) continue;
    MutexLock lock(mutex_);
    team.asleep = true;
    while (!left()) team_left_.wait(mutex_);
  }
}

}  // namespace cuvette::exec
