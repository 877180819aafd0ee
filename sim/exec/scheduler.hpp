// SPDX-License-Identifier: Apache-2.0
// Scheduler: the one runner of all queues, where a schedule decides what takes place when.
//
// Without it (`concurrent`) workers take queues as they become ready. With it nobody runs anything
// but a thread of the program, at the end of a call that submits or asks, or while it waits; one
// piece of work at a time. Work whose time has come runs before the call returns; a wait runs what
// it needs, and whatever is held back less long than that. Where the program waits for its device
// by means that Cuvette does not see (a condition variable that a host function signals, a flag in
// pinned memory), a watch takes the next step for it: at once when all its threads are blocked,
// and after some seconds when one sleeps or spins.
//
// Threads: any. Lock order: running_, then an event's, stream's or timeline's lock, then news_.
// Invariant: a queue with something that could run is in offered_ or ready_, or somebody will offer
// it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "sim/exec/schedule.hpp"
#include "sim/exec/serial_queue.hpp"
#include "sim/mutex.hpp"
#include "sim/ref.hpp"

namespace cuvette::exec {

class Polled;

class Scheduler {
 public:
  // Once, before there is a queue.
  static void start(Schedule schedule);
  // Null: the queues run concurrently.
  static Scheduler* get() { return instance_.load(std::memory_order_acquire); }

  // A new lane; they are numbered from 0.
  uint32_t add_lane() EXCLUDES(news_mutex_);

  // `lane` gets piece of work `number`, the next one.
  void submitted(uint32_t lane, uint64_t number) EXCLUDES(news_mutex_);
  // How long that is held back, before it has begun.
  Delay delay(uint32_t lane, uint64_t number) EXCLUDES(news_mutex_);
  // A step of a launch has become possible: how long it is held back, and when it takes place.
  Delay step_ready(const Step& step, Due& due) EXCLUDES(news_mutex_);
  // There may be something to run in `queue`.
  void offer(SerialQueue& queue) EXCLUDES(news_mutex_);

  // The calling thread is about to return to the program: runs what is due.
  void before_return() EXCLUDES(running_, news_mutex_) {
    if (submitted_.load(std::memory_order_relaxed)) run_due();
  }
  // Returns when `queue` has completed `target` items.
  void wait(SerialQueue& queue, uint64_t target) EXCLUDES(running_, news_mutex_);
  // The program has asked whether `queue` has completed `target` items, and is told no: a step on
  // the way there, so that asking again and again comes to an end.
  void asked_for(SerialQueue& queue, uint64_t target) EXCLUDES(running_, news_mutex_);
  // The same where the program waits for, or asks about, what another process does, and that may
  // wait for what is to be done here.
  void wait_for_outside(Polled& polled) EXCLUDES(running_, news_mutex_);
  void asked_for_outside() EXCLUDES(running_, news_mutex_);
  // Whether something that may happen does, and which question that was, counted from 1.
  struct Answer {
    uint64_t question;
    bool yes;
  };
  Answer may() EXCLUDES(news_mutex_);

  // An item was handed to a host thread, or has left it: no other step is taken meanwhile, as long
  // as it is not blocked. Between the two it begins: before that it waits for its thread, not for
  // the program.
  void host_item_posted() {
    host_calls_.fetch_add(1, std::memory_order_relaxed);
    host_items_.fetch_add(1, std::memory_order_seq_cst);
  }
  void host_item_begins() { host_items_begun_.fetch_add(1, std::memory_order_seq_cst); }
  void host_item_done() EXCLUDES(news_mutex_);

 private:
  struct Lane {
    struct Held {
      Due due;
      Delay delay;
    };
    std::deque<Held> pending;  // the numbers after `done`
    uint64_t done = 0;
  };
  struct Ready {
    Ref<SerialQueue> queue;
    Due due;
  };

  // A thread of the program is the runner. Whoever has looked at it while it was does not know what
  // it does afterwards.
  class SCOPED_CAPABILITY Turn {
   public:
    explicit Turn(Scheduler& scheduler) ACQUIRE(scheduler.running_) : scheduler_(scheduler) {
      scheduler_.running_.lock();
    }
    ~Turn() RELEASE() {
      scheduler_.activity_.fetch_add(1, std::memory_order_relaxed);
      scheduler_.running_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Scheduler& scheduler_;
  };

  explicit Scheduler(Schedule schedule) : schedule_(std::move(schedule)) {}

  void run_due() EXCLUDES(running_, news_mutex_);
  // False: nothing can be done now.
  bool step_towards(SerialQueue& queue, uint64_t target) REQUIRES(running_);
  // The next step of all; false as above.
  bool step() REQUIRES(running_);
  void sort_offers() REQUIRES(running_) EXCLUDES(news_mutex_);
  size_t first() const REQUIRES(running_);
  size_t place_of(const SerialQueue& queue) const REQUIRES(running_);
  size_t needed(SerialQueue& queue, uint64_t target) const REQUIRES(running_);
  // False: it has to wait, and will be offered.
  bool take(size_t index) REQUIRES(running_) EXCLUDES(news_mutex_);
  void settle() EXCLUDES(news_mutex_);
  Due due_of(const SerialQueue& queue) EXCLUDES(news_mutex_);
  Due due_after(const Delay& delay, uint64_t order) const REQUIRES(news_mutex_);
  void tell() EXCLUDES(news_mutex_);
  uint64_t news() EXCLUDES(news_mutex_);
  void wait_for_news(uint64_t seen) EXCLUDES(news_mutex_);
  void watch();

  static std::atomic<Scheduler*> instance_;

  Mutex running_;  // whoever holds it is the runner
  std::vector<Ready> ready_ GUARDED_BY(running_);

  Mutex news_mutex_;
  std::condition_variable_any told_;
  uint64_t news_ GUARDED_BY(news_mutex_) = 0;
  Schedule schedule_ GUARDED_BY(news_mutex_);
  std::deque<Lane> lanes_ GUARDED_BY(news_mutex_);
  std::vector<Ref<SerialQueue>> offered_ GUARDED_BY(news_mutex_);
  uint64_t time_ GUARDED_BY(news_mutex_) = 0;
  uint64_t order_ GUARDED_BY(news_mutex_) = 0;
  bool watched_ GUARDED_BY(news_mutex_) = false;

  std::atomic<uint64_t> pending_{0};           // pieces of work that have not begun
  std::atomic<bool> submitted_{false};         // something was, since run_due()
  std::atomic<unsigned> host_items_{0};        // that host threads have
  std::atomic<unsigned> host_items_begun_{0};  // of these
  std::atomic<uint64_t> host_calls_{0};        // that they ever had
  std::atomic<uint64_t> activity_{0};          // changes whenever the program calls
};

}  // namespace cuvette::exec
