// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/serial_queue.hpp"

#include <thread>

#include "sim/exec/scheduler.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/exec/workers.hpp"
#include "sim/os/futex.hpp"

namespace cuvette::exec {
namespace {

// A thread that sleeps until a timeline reaches a value.
class Sleeper final : public Waiter {
 public:
  void sleep_until(Timeline& timeline, uint64_t target) {
    if (!timeline.add(*this, target)) return;
    while (woken_.load(std::memory_order_acquire) == 0) os::sleep_while(woken_, 0);
    // wake() may still be running; removing takes the lock under which it runs.
    timeline.remove(*this);
    Oversubscription::waited(woken_at_, os::now_ns());
  }

 private:
  void wake() override {
    woken_at_ = os::now_ns();
    woken_.store(1, std::memory_order_release);
    os::wake_one(woken_);
  }
  std::atomic<uint32_t> woken_{0};
  int64_t woken_at_ = 0;
};

enum class Helped {
  moved,  // something was completed
  stuck,  // nothing can be run now; the queue will be offered when that changes
  busy,   // `queue` itself has another runner
};

// Runs what it can of `queue`, or of what that is blocked on.
Helped help(SerialQueue& queue, uint64_t target) {
  Edge current{Ref<Timeline>(&queue), target};
  // No recursion: the program decides how long a chain of queues that are blocked on each other is.
  for (;;) {
    SerialQueue* candidate = current.timeline->queue();
    if (!candidate || !candidate->try_claim())
      return candidate == &queue ? Helped::busy : Helped::stuck;
    const uint64_t before = candidate->completed();
    candidate->drain(current.value);
    const bool moved = candidate->completed() != before;
    Edge next = candidate->reached(current.value) ? Edge{} : candidate->blocked_on();
    candidate->unclaim();
    if (moved) return Helped::moved;
    if (next.reached()) return Helped::stuck;
    current = std::move(next);
  }
}

}  // namespace

bool SerialQueue::try_claim() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (!(state & running)) {
    if (state_.compare_exchange_weak(state, (state & parked) | running, std::memory_order_seq_cst,
                                     std::memory_order_relaxed))
      return true;
  }
  return false;
}

void SerialQueue::enlist() {
  if (listed_.exchange(true, std::memory_order_acq_rel)) return;
  if (Scheduler* const scheduler = Scheduler::get()) [[unlikely]]
    return scheduler->offer(*this);
  Workers::get().push(*this);
}

void SerialQueue::take_lane(uint32_t number) {
  Scheduler* const scheduler = Scheduler::get();
  if (!scheduler) return;
  scheduler->add_lane(number);
  lane_ = number;
}

void help_until(SerialQueue& queue, uint64_t target, Patience patience) {
  if (Scheduler* const scheduler = Scheduler::get()) [[unlikely]]
    return scheduler->wait(queue, target);
  Spinner spinner(patience == Patience::block ? Spinner::brief : Spinner::usual);
  while (!queue.reached(target)) {
    const Helped helped = help(queue, target);
    if (helped == Helped::moved) {
      spinner.restart();
      continue;
    }
    if (spinner.spin()) continue;
    // Programs choose spin or yield in order to go on at once, which on a crowded machine they
    // would not.
    if (!Oversubscription::seen()) {
      if (patience == Patience::spin) continue;
      if (patience == Patience::yield) {
        std::this_thread::yield();
        continue;
      }
    }
    // Items that their submitter means to run itself were never offered, and a runner that is about
    // to leave may have looked before they came.
    if (helped == Helped::busy) queue.offer();
    sleep_until(queue, target);
  }
}

void sleep_until(Timeline& timeline, uint64_t target) { Sleeper().sleep_until(timeline, target); }

}  // namespace cuvette::exec
