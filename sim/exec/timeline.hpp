// SPDX-License-Identifier: Apache-2.0
// Timeline: a number that only rises, and the waiters for its values.
//
// It orders everything here: a stream's timeline counts its completed commands, an event is a value
// of one, and a dependency is "not before timeline T has reached value V".
//
// Threads: any. One thread at a time advances a timeline (its queue's runner). Invariant: a linked
// waiter's target has not been reached, or a thread is about to wake it.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/base/sanitizer.hpp"

namespace cuvette::exec {

class SerialQueue;
class Timeline;

// Something to wake when a timeline reaches a value; it lives inside the object that waits.
class Waiter {
 protected:
  Waiter() = default;
  ~Waiter() = default;

 private:
  friend class Timeline;
  // Called with the timeline's lock held. It must be short and not call that timeline.
  virtual void wake() = 0;

  uint64_t target_ = 0;
  Waiter* next_ = nullptr;
  bool linked_ = false;
};

class Timeline : public Counted {
 public:
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  bool reached(uint64_t value) const {
    if (completed() < value) return false;
    acquire_at(this);
    return true;
  }

  // Returns the queue whose progress this counts, or null; a waiting thread can help to run it.
  virtual SerialQueue* queue() { return nullptr; }

  // Wakes `waiter` once when `target` is reached. False, and no wake, if it is reached already.
  bool add(Waiter& waiter, uint64_t target) EXCLUDES(mutex_);
  // Removes a waiter. Afterwards it is not linked and no thread is waking it.
  void remove(Waiter& waiter) EXCLUDES(mutex_);

 protected:
  Timeline() = default;
  ~Timeline() override = default;

  // Raises the value and wakes the waiters that it satisfies.
  void advance(uint64_t value) EXCLUDES(mutex_) {
    release_at(this);
    // Sequentially consistent, like the pair of accesses in add(): either this sees the waiter's
    // target, or the waiter sees this value.
    completed_.store(value, std::memory_order_seq_cst);
    if (next_target_.load(std::memory_order_seq_cst) <= value) wake(value);
  }

 private:
  void wake(uint64_t value) EXCLUDES(mutex_);

  // On another cache line than the count of references, which every call that names a stream
  // changes while the stream's runner changes this.
  alignas(64) std::atomic<uint64_t> completed_{0};
  std::atomic<uint64_t> next_target_{UINT64_MAX};  // the least of all linked waiters
  Mutex mutex_;
  Waiter* waiters_ GUARDED_BY(mutex_) = nullptr;
};

// "Not before `timeline` has reached `value`." Without a timeline: no condition.
struct Edge {
  Ref<Timeline> timeline;
  uint64_t value = 0;

  explicit operator bool() const { return static_cast<bool>(timeline); }
  bool reached() const { return !timeline || timeline->reached(value); }
};

}  // namespace cuvette::exec
