// SPDX-License-Identifier: Apache-2.0
// WorkQueue: a serial queue of closures for this room's tests, with a lane of its own if there is a
// schedule; and a wait with a timeout.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <thread>
#include <utility>

#include "sim/base/mutex.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/serial_queue.hpp"
#include "sim/exec/workers.hpp"

namespace cuvette::exec {

// A process has one set of workers; these may be more than the machine has cores.
inline void start_workers() {
  if (!Workers::started()) Workers::start(4);
}

// Waits until `condition` holds. Returns false after a time that no working program needs.
template <typename Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

class WorkQueue final : public SerialQueue, private Waiter {
 public:
  explicit WorkQueue(unsigned urgency = 0) : SerialQueue(urgency) {
    start_workers();
    static std::atomic<uint32_t> lanes{0};
    if (Scheduler::get()) take_lane(lanes++);
  }

  struct Item {
    std::function<void()> body;
    Edge after;
  };

  // Both return the item's number. add() leaves the item to a helper; submit() also offers the
  // queue.
  uint64_t add(std::function<void()> body, Edge after = {}) {
    MutexLock lock(mutex_);
    items_.push_back({std::move(body), std::move(after)});
    ++added_;
    if (lane()) Scheduler::get()->submitted(*lane(), added_);
    return added_;
  }
  uint64_t submit(std::function<void()> body, Edge after = {}) {
    const uint64_t number = add(std::move(body), std::move(after));
    offer();
    return number;
  }

  Edge at(uint64_t number) { return {Ref<Timeline>(this), number}; }

  void drain(uint64_t target) override {
    if (inside_.exchange(true, std::memory_order_relaxed)) two_runners = true;
    run(target);
    if (on_leaving) on_leaving();
    inside_.store(false, std::memory_order_relaxed);
  }
  Edge blocked_on() const override { return blocked_on_; }

  // Called by the runner when it has done all it could and is about to leave.
  std::function<void()> on_leaving;
  std::atomic<bool> two_runners{false};
  std::thread::id last_runner;  // may be read once the queue is idle

 private:
  ~WorkQueue() override = default;
  void wake() override { offer(); }

  void run(uint64_t target) {
    if (blocked_on_.timeline) {
      if (!blocked_on_.reached()) return;
      blocked_on_.timeline->remove(*this);
      blocked_on_ = {};
    }
    for (uint64_t number = completed() + 1;; ++number) {
      Item item;
      {
        MutexLock lock(mutex_);
        if (items_.empty()) return;
        if (number > target) break;
        if (!items_.front().after.reached()) {
          blocked_on_ = items_.front().after;
          if (blocked_on_.timeline->add(*this, blocked_on_.value)) return;
          blocked_on_ = {};
        }
        item = std::move(items_.front());
        items_.pop_front();
      }
      last_runner = std::this_thread::get_id();
      if (item.body) item.body();
      item = {};
      advance(number);
    }
    want_again();
  }

  std::atomic<bool> inside_{false};
  Edge blocked_on_;  // only for the runner
  Mutex mutex_;
  std::deque<Item> items_ GUARDED_BY(mutex_);
  uint64_t added_ GUARDED_BY(mutex_) = 0;
};

}  // namespace cuvette::exec
