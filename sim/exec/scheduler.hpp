// SPDX-License-Identifier: Apache-2.0
// Scheduler: runs all queues where a schedule decides what takes place when.
//
// Without it (`concurrent`) workers take queues as they become ready. With it only threads of the
// program run work, at the end of a call that submits or asks, or while they wait; one piece of
// work at a time. Work that is due runs before the call returns. A wait runs the work that it
// needs, and work that is held back for less long. Where the program waits for its device by means
// that Cuvette does not see (a condition variable that a host function signals, a flag in pinned
// memory), a watch takes the next step for it: soon if all its threads are blocked, after some
// seconds if one sleeps or spins.
//
// Threads: any. Lock order: running_, then an event's, stream's or timeline's lock, then
// news_mutex_. Invariant: a queue with something that could run is in offered_ or ready_, or a
// thread will offer it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/exec/schedule.hpp"
#include "sim/exec/serial_queue.hpp"

namespace cuvette::exec {

class Polled;

class Scheduler {
 public:
  // Starts it; called once, before there is a queue.
  static void start(Schedule schedule);
  // Returns the scheduler; null if the queues run concurrently.
  static Scheduler* get() { return instance_.load(std::memory_order_acquire); }

  // Adds a lane of this number.
  void add_lane(uint32_t lane) EXCLUDES(news_mutex_);

  // Notes that `lane` gets its next piece of work, `number`.
  void submitted(uint32_t lane, uint64_t number) EXCLUDES(news_mutex_);
  // Returns how long this piece of work is held back; called before it has begun.
  Delay delay(uint32_t lane, uint64_t number) EXCLUDES(news_mutex_);
  // Notes that a step of a launch has become possible. Returns how long it is held back, and sets
  // `due`.
  Delay step_ready(const Step& step, Due& due) EXCLUDES(news_mutex_);
  // Returns in which order the kernels of this piece of work run their blocks and warps.
  KernelOrder kernel_order(uint32_t lane, uint64_t number) EXCLUDES(news_mutex_);
  // Notes that there may be something to run in `queue`.
  void offer(SerialQueue& queue) EXCLUDES(news_mutex_);

  // Runs what is due, before the calling thread returns to the program.
  void before_return() EXCLUDES(running_, news_mutex_) {
    if (submitted_.load(std::memory_order_relaxed)) run_due();
  }
  // Returns when `queue` has completed `target` items.
  void wait(SerialQueue& queue, uint64_t target) EXCLUDES(running_, news_mutex_);
  // Called when the program has asked whether `queue` has completed `target` items and the answer
  // is no. Takes a step towards that, so that asking again and again comes to an end.
  void asked_for(SerialQueue& queue, uint64_t target) EXCLUDES(running_, news_mutex_);
  // Like wait() and asked_for(), for what another process does, which may itself wait for work of
  // this one.
  void wait_for_outside(Polled& polled) EXCLUDES(running_, news_mutex_);
  void asked_for_outside() EXCLUDES(running_, news_mutex_);
  // Decides whether something that may happen does; `question` counts from 1.
  struct Answer {
    uint64_t question;
    bool yes;
  };
  Answer may() EXCLUDES(news_mutex_);

  // An item was handed to a host thread, begins there, and has left it. No other step is taken in
  // between, unless the item is blocked. An item that has not begun waits for its thread, not for
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

  // While a Turn lives, a thread of the program is the runner. Its end counts as activity, because
  // the watch's observations of the thread until then say nothing about its later actions.
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
  // Takes one step towards `target`. False if nothing can be done now.
  bool step_towards(SerialQueue& queue, uint64_t target) REQUIRES(running_);
  // Takes the next step, of any kind. False if nothing can be done now.
  bool step() REQUIRES(running_);
  void sort_offers() REQUIRES(running_) EXCLUDES(news_mutex_);
  size_t first() const REQUIRES(running_);
  size_t place_of(const SerialQueue& queue) const REQUIRES(running_);
  size_t needed(SerialQueue& queue, uint64_t target) const REQUIRES(running_);
  // Runs one piece of work of a ready queue. False if it has to wait; it will be offered again.
  bool take(size_t index) REQUIRES(running_) EXCLUDES(news_mutex_);
  void wait_for_host_items() EXCLUDES(news_mutex_);
  Due due_of(const SerialQueue& queue) EXCLUDES(news_mutex_);
  Due due_after(const Delay& delay, uint64_t order) const REQUIRES(news_mutex_);
  void tell() EXCLUDES(news_mutex_);
  uint64_t news() EXCLUDES(news_mutex_);
  void wait_for_news(uint64_t seen) EXCLUDES(news_mutex_);
  void watch();

  static std::atomic<Scheduler*> instance_;

  Mutex running_;  // the thread that holds it is the runner
  std::vector<Ready> ready_ GUARDED_BY(running_);

  Mutex news_mutex_;
  std::condition_variable_any news_came_;
  uint64_t news_ GUARDED_BY(news_mutex_) = 0;
  Schedule schedule_ GUARDED_BY(news_mutex_);
  std::deque<Lane> lanes_ GUARDED_BY(news_mutex_);
  std::vector<Ref<SerialQueue>> offered_ GUARDED_BY(news_mutex_);
  uint64_t time_ GUARDED_BY(news_mutex_) = 0;
  uint64_t order_ GUARDED_BY(news_mutex_) = 0;
  bool watched_ GUARDED_BY(news_mutex_) = false;

  std::atomic<uint64_t> pending_{0};           // pieces of work that are not done
  std::atomic<bool> submitted_{false};         // something was submitted since run_due()
  std::atomic<unsigned> host_items_{0};        // items that host threads have
  std::atomic<unsigned> host_items_begun_{0};  // those of them that have begun
  std::atomic<uint64_t> host_calls_{0};        // items ever handed to host threads
  std::atomic<uint64_t> activity_{0};          // changes whenever the program calls
};

}  // namespace cuvette::exec
