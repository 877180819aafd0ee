// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "sim/exec/exit_gate.hpp"
#include "sim/exec/poller.hpp"
#include "sim/os/process.hpp"
#include "sim/os/threads.hpp"

namespace cuvette::exec {
namespace {

using namespace std::chrono_literals;

constexpr size_t none = SIZE_MAX;
// A level comes after all steps that a program can make.
constexpr unsigned level_shift = 44;

// How long a thread must be blocked to count as waiting for another thread, and how long one that
// runs or sleeps is waited for. Threads that wait for each other need no such proof. Only the time
// that the scheduler meant to sleep counts: while a machine stands still, so do the threads.
constexpr std::chrono::nanoseconds blocked_for = 20ms, busy_for = 3s;

// How long the program has to react after a host function was called.
constexpr std::chrono::nanoseconds told_for = 100ms;

// How soon after a call the program's threads are looked at, and how soon again if they all wait.
constexpr std::chrono::nanoseconds first_look = 50us, second_look = 20us;

// Whether `one` is held back less long than `other`; steps within a level do not count.
bool held_less(const Due& one, const Due& other) {
  constexpr uint64_t steps = (uint64_t{1} << level_shift) - 1;
  return one.time <= steps ? one.time < other.time : (one.time & ~steps) < (other.time & ~steps);
}

bool ours(const os::ThreadActivity& thread) { return thread.name.starts_with("cuvette-"); }

using Activities = std::vector<os::ThreadActivity>;
using State = os::ThreadActivity::State;

// Returns the program's threads, up to the first that runs. `helped` becomes true if a thread of
// ours runs, which may be about to let one of them go on.
Activities program_threads(bool& helped) {
  Activities threads = os::thread_activities(
      [](const auto& thread) { return thread.state == State::running && !ours(thread); });
  helped = std::ranges::any_of(
      threads, [](const auto& thread) { return thread.state == State::running && ours(thread); });
  std::erase_if(threads, ours);
  return threads;
}

bool are_blocked(const Activities& threads) {
  return !threads.empty() && std::all_of(threads.begin(), threads.end(), [](const auto& thread) {
    return thread.state == State::blocked || thread.state == State::waiting;
  });
}

// Whether none of them can go on unless another one does.
bool wait_for_each_other(const Activities& threads) {
  return !threads.empty() && std::all_of(threads.begin(), threads.end(), [](const auto& thread) {
    return thread.state == State::waiting;
  });
}

// Whether all host functions that have begun wait for another thread.
bool host_threads_are_blocked() {
  const auto threads = os::thread_activities();
  return !threads.empty() && std::none_of(threads.begin(), threads.end(), [](const auto& thread) {
    return thread.name == "cuvette-host" && thread.state != State::blocked &&
           thread.state != State::waiting;
  });
}

}  // namespace

std::atomic<Scheduler*> Scheduler::instance_{nullptr};

void Scheduler::start(Schedule schedule) {
  instance_.store(new Scheduler(std::move(schedule)), std::memory_order_release);
}

// --- What is to be done ---

void Scheduler::add_lane(uint32_t lane) {
  MutexLock lock(news_mutex_);
  // Threads that make queues at the same time may come in another order than their numbers.
  if (lanes_.size() <= lane) lanes_.resize(lane + 1);
}

void Scheduler::submitted(uint32_t lane, uint64_t number) {
  {
    MutexLock lock(news_mutex_);
    const Delay delay = schedule_.delay(lane, number);
    ++time_;
    lanes_[lane].pending.push_back({due_after(delay, ++order_), delay});
    if (!watched_) {
      // If the system refuses a thread now, the next command tries again.
      std::thread watching = os::start_thread("cuvette-watch", [this] { watch(); });
      watched_ = watching.joinable();
      if (watched_) watching.detach();
    }
  }
  pending_.fetch_add(1, std::memory_order_relaxed);
  submitted_.store(true, std::memory_order_relaxed);
  activity_.fetch_add(1, std::memory_order_relaxed);
}

Delay Scheduler::delay(uint32_t lane, uint64_t number) {
  MutexLock lock(news_mutex_);
  const Lane& of = lanes_[lane];
  const uint64_t index = number - of.done - 1;
  return index < of.pending.size() ? of.pending[index].delay : Delay{};
}

Delay Scheduler::step_ready(const Step& step, Due& due) {
  MutexLock lock(news_mutex_);
  const Delay delay = schedule_.delay(step);
  const Lane& of = lanes_[step.lane];
  const uint64_t index = step.number - of.done - 1;
  const uint64_t order = index < of.pending.size() ? of.pending[index].due.order : 0;
  due = delay == Delay{} ? Due{0, order} : due_after(delay, order);
  due.step = step.step;
  return delay;
}

Due Scheduler::due_after(const Delay& delay, uint64_t order) const {
  if (delay.level == 0) return {time_ + delay.steps, order};
  return {(uint64_t{delay.level} << level_shift) + delay.steps, order};
}

KernelOrder Scheduler::kernel_order(uint32_t lane, uint64_t number) {
  MutexLock lock(news_mutex_);
  return schedule_.kernel_order(lane, number);
}

Scheduler::Answer Scheduler::may() {
  MutexLock lock(news_mutex_);
  const bool yes = schedule_.may();
  return {schedule_.asked(), yes};
}

void Scheduler::offer(SerialQueue& queue) {
  {
    MutexLock lock(news_mutex_);
    offered_.emplace_back(&queue);
  }
  tell();
}

void Scheduler::host_item_done() {
  host_items_begun_.fetch_sub(1, std::memory_order_seq_cst);
  host_items_.fetch_sub(1, std::memory_order_seq_cst);
  tell();
}

void Scheduler::tell() {
  {
    MutexLock lock(news_mutex_);
    ++news_;
  }
  news_came_.notify_all();
}

uint64_t Scheduler::news() {
  MutexLock lock(news_mutex_);
  return news_;
}

void Scheduler::wait_for_news(uint64_t seen) {
  MutexLock lock(news_mutex_);
  // With a time limit, because others may complete something without saying so here.
  if (news_ == seen) news_came_.wait_for(news_mutex_, 10ms);
}

// --- What can be done, and what is done next ---

Due Scheduler::due_of(const SerialQueue& queue) {
  if (!queue.lane()) return queue.due();
  MutexLock lock(news_mutex_);
  Lane& lane = lanes_[*queue.lane()];
  // Work that a graph or a host thread has completed was not taken here.
  for (const uint64_t completed = queue.completed(); lane.done < completed; ++lane.done) {
    lane.pending.pop_front();
    pending_.fetch_sub(1, std::memory_order_relaxed);
  }
  return lane.pending.empty() ? Due{} : lane.pending.front().due;
}

void Scheduler::sort_offers() {
  for (;;) {
    std::vector<Ref<SerialQueue>> offered;
    {
      MutexLock lock(news_mutex_);
      offered.swap(offered_);
    }
    if (offered.empty()) return;
    for (Ref<SerialQueue>& queue : offered) {
      queue->listed_.exchange(false, std::memory_order_acq_rel);
      const Due due = due_of(*queue);
      if (queue->scheduled_) {
        ready_[place_of(*queue)].due = due;
        continue;
      }
      queue->scheduled_ = true;
      ready_.push_back({std::move(queue), due});
    }
  }
}

size_t Scheduler::first() const {
  const auto least = std::min_element(ready_.begin(), ready_.end(),
                                      [](const auto& a, const auto& b) { return a.due < b.due; });
  return least == ready_.end() ? none : static_cast<size_t>(least - ready_.begin());
}

size_t Scheduler::place_of(const SerialQueue& queue) const {
  const auto found = std::find_if(ready_.begin(), ready_.end(),
                                  [&](const Ready& ready) { return ready.queue.get() == &queue; });
  return static_cast<size_t>(found - ready_.begin());
}

// Returns the ready queue that `queue` waits for, directly or by way of others, to complete
// `target`.
size_t Scheduler::needed(SerialQueue& queue, uint64_t target) const {
  Edge current{Ref<Timeline>(&queue), target};
  for (;;) {
    SerialQueue* const candidate = current.timeline->queue();
    if (!candidate) return none;
    if (candidate->scheduled_) return place_of(*candidate);
    if (!candidate->try_claim()) return none;
    Edge next = candidate->blocked_on();
    candidate->unclaim();
    if (next.reached()) return none;
    current = std::move(next);
  }
}

bool Scheduler::take(size_t index) {
  const Ref<SerialQueue> queue = std::move(ready_[index].queue);
  ready_[index] = std::move(ready_.back());
  ready_.pop_back();
  queue->scheduled_ = false;
  if (!queue->try_claim()) {
    queue->offer();  // it becomes ready again when its runner leaves
    return false;
  }
  const uint64_t before = queue->completed();
  const uint64_t calls = host_calls_.load(std::memory_order_relaxed);
  queue->drain(before + 1);
  const bool moved = queue->completed() != before || !queue->blocked_on().timeline;
  // Only for streams: the steps of a graph are queues of their own, which go on by themselves.
  const bool calls_host = queue->lane() && host_calls_.load(std::memory_order_relaxed) != calls;
  queue->unclaim();
  wait_for_host_items();
  // A host function that was over before this thread left the queue has not completed its command.
  // It is completed here, so that it is not left to the next step.
  if (calls_host && queue->completed() == before && queue->try_claim()) {
    queue->drain(before + 1);
    queue->unclaim();
  }
  due_of(*queue);
  if (moved) tell();
  return moved;
}

// Waits until host functions are over, unless they wait for the program.
void Scheduler::wait_for_host_items() {
  constexpr std::chrono::nanoseconds pause = 5ms;
  for (auto waited = pause; host_items_.load(std::memory_order_seq_cst) > 0; waited += pause) {
    {
      MutexLock lock(news_mutex_);
      news_came_.wait_for(news_mutex_, pause,
                          [this] { return host_items_.load(std::memory_order_seq_cst) == 0; });
    }
    // A thread that has yet to start, on a busy machine, is not blocked.
    const bool begun = host_items_begun_.load(std::memory_order_seq_cst) > 0;
    if (waited >= busy_for || (waited >= blocked_for && begun && host_threads_are_blocked()))
      return;
  }
}

// --- Who does it ---

void Scheduler::run_due() {
  const Turn turn(*this);
  submitted_.store(false, std::memory_order_relaxed);
  for (;;) {
    sort_offers();
    const size_t next = first();
    if (next == none) return;
    {
      MutexLock news_lock(news_mutex_);
      if (ready_[next].due.time > time_) return;
    }
    take(next);
  }
}

bool Scheduler::step_towards(SerialQueue& queue, uint64_t target) {
  for (;;) {
    sort_offers();
    const size_t next = first();
    if (next == none) return false;
    const size_t wanted = needed(queue, target);
    if (wanted == none) {
      // It needs something that no edge names: a host function that is still running, or a value
      // that another thread writes.
      if (host_items_.load(std::memory_order_seq_cst) > 0) return false;
      if (take(next)) return true;
    } else if (take(held_less(ready_[next].due, ready_[wanted].due) ? next : wanted)) {
      return true;
    }
  }
}

void Scheduler::wait(SerialQueue& queue, uint64_t target) {
  while (!queue.reached(target)) {
    activity_.fetch_add(1, std::memory_order_relaxed);
    // Work that its submitter means to wait for was never offered.
    queue.offer();
    const uint64_t seen = news();
    bool taken;
    {
      const Turn turn(*this);
      taken = queue.reached(target) || step_towards(queue, target);
    }
    if (!taken) wait_for_news(seen);
  }
}

void Scheduler::asked_for(SerialQueue& queue, uint64_t target) {
  activity_.fetch_add(1, std::memory_order_relaxed);
  {
    MutexLock lock(news_mutex_);
    ++time_;
  }
  run_due();
  if (queue.reached(target)) return;
  const Turn turn(*this);
  step_towards(queue, target);
}

bool Scheduler::step() {
  for (;;) {
    sort_offers();
    const size_t next = first();
    // A running host function comes first, as it does where a queue is waited for.
    if (next == none || host_items_.load(std::memory_order_seq_cst) > 0) return false;
    if (take(next)) return true;
  }
}

void Scheduler::wait_for_outside(Polled& polled) {
  while (!polled.look()) {
    activity_.fetch_add(1, std::memory_order_relaxed);
    const uint64_t seen = news();
    bool taken;
    {
      const Turn turn(*this);
      taken = step();
    }
    if (!taken) wait_for_news(seen);
  }
}

void Scheduler::asked_for_outside() {
  activity_.fetch_add(1, std::memory_order_relaxed);
  {
    MutexLock lock(news_mutex_);
    ++time_;
  }
  run_due();
  const Turn turn(*this);
  step();
}

void Scheduler::watch() {
  os::wake_on_time();
  uint64_t seen = 0;
  std::chrono::nanoseconds quiet{0};  // slept since the program called
  Activities before;
  bool taken = false;  // a step was taken, and the program has not been looked at since
  bool again = false;  // the program must be looked at again, to be sure
  for (;;) {
    const uint64_t news_seen = news();
    if (pending_.load(std::memory_order_relaxed) == 0) {
      wait_for_news(news_seen);
      continue;
    }
    // A program that computes for long is looked at less and less often, because looking takes time
    // from it.
    std::chrono::nanoseconds pause =
        std::clamp<std::chrono::nanoseconds>(quiet / 2, first_look, 50ms);
    if (taken) pause = first_look;
    // Threads that waited before that step, and have not run since, wait for the next one.
    if (taken && !before.empty()) pause = 0ns;
    if (again) pause = second_look;
    std::this_thread::sleep_for(pause);
    quiet += pause;
    taken = false;
    if (const uint64_t activity = activity_.load(std::memory_order_relaxed); activity != seen) {
      seen = activity;
      quiet = 0ns;
      before.clear();
      again = false;
      continue;
    }
    bool stuck = false;
    if (quiet < busy_for) {
      bool helped = false;
      Activities now = program_threads(helped);
      // The threads are looked at one after the other, so they may have taken turns; they have not
      // if none has run since the last time.
      stuck = !helped && host_items_.load(std::memory_order_seq_cst) == 0 &&
              wait_for_each_other(now) && now == before;
      before = std::move(now);
      again = !stuck && !again && wait_for_each_other(before);
      if (!stuck && (quiet < blocked_for || helped || !are_blocked(before))) continue;
      if (!stuck) before.clear();
    } else {
      before.clear();
    }
    if (!ExitGate::get().begin()) return;  // the process exits
    {
      MutexLock lock(running_);
      // Only a host function can wake one of several threads that wait for each other.
      const uint64_t calls = host_calls_.load(std::memory_order_relaxed);
      const auto has_called = [&] { return host_calls_.load(std::memory_order_relaxed) != calls; };
      do {
        sort_offers();
        const size_t next = first();
        taken = next != none && activity_.load(std::memory_order_relaxed) == seen && take(next);
      } while (taken && stuck && !has_called());
      if (has_called()) quiet = std::min(quiet, busy_for - told_for);
    }
    ExitGate::get().end();
  }
}

}  // namespace cuvette::exec
