// SPDX-License-Identifier: Apache-2.0
// Poller: watches changes that are not reported to this process: a word that a host thread or
// another process writes.
//
// A watched word is a timeline. It has come when its look() is true, and then goes to 1, so that a
// queue or a step of a graph waits for it as for anything else: blocked, without a thread. One
// thread looks, and only while something is watched: without a pause for some tens of microseconds,
// then at intervals that grow with the time that it has waited, up to a millisecond. A command of
// this process that wrote the word calls written() and looks itself. Words that are nearly always
// written so are polled once per millisecond.
//
// Threads: any. Lock order: the poller's lock, then a timeline's. Waiters are woken with the
// poller's lock held, so that all have been woken when written() returns, whichever thread looked:
// under a schedule the next step depends on that.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/exec/timeline.hpp"

namespace cuvette::exec {

class Polled : public Timeline {
 public:
  // Whether it has come. Must be short; called by one thread at a time, and not again once it was
  // true.
  virtual bool look() = 0;

 protected:
  // Writers to [begin, end) call written(). The range is empty if none do.
  explicit Polled(uint64_t begin = 0, uint64_t end = 0) : begin_(begin), end_(end) {}
  ~Polled() override = default;

 private:
  friend class Poller;
  const uint64_t begin_, end_;
  bool writers_report_ = false;  // guarded by the poller's lock
};

class Poller {
 public:
  // Returns the process's poller, which lives as long as the process.
  static Poller& get();

  // Starts the thread, before the first watch(). Errors: out_of_memory if the system refuses it.
  Result<> start() EXCLUDES(mutex_);

  // Looks at `polled` until it has come, then takes its timeline to 1. `writers_report`: nearly all
  // writers of it call written().
  void watch(Ref<Polled> polled, bool writers_report = false) EXCLUDES(mutex_);

  // Notes that this process has written [begin, end). Waiters for that have been woken when this
  // returns.
  void written(uint64_t begin, uint64_t end) {
    if (begin < highest_.load(std::memory_order_acquire) &&
        lowest_.load(std::memory_order_acquire) < end) [[unlikely]]
      look_at(begin, end);
  }

  // Returns how many items are watched now.
  size_t watched() EXCLUDES(mutex_);
  // Returns how often the thread has looked, to find out what an idle program costs.
  uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

 private:
  Poller() = default;
  ~Poller() = default;

  void serve() EXCLUDES(mutex_);
  // Removes the concerned items that have come, and wakes their waiters.
  template <typename Concerned>
  std::vector<Ref<Polled>> take_what_came(const Concerned& concerned) REQUIRES(mutex_);
  void look_at(uint64_t begin, uint64_t end) EXCLUDES(mutex_);
  // Whether the writers of all watched words call written().
  bool patient() const REQUIRES(mutex_);

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool started_ GUARDED_BY(mutex_) = false;
  int64_t since_ GUARDED_BY(mutex_) = 0;  // when one last came or was added
  std::vector<Ref<Polled>> polled_ GUARDED_BY(mutex_);
  // All watched addresses lie in [lowest, highest).
  std::atomic<uint64_t> lowest_{UINT64_MAX}, highest_{0};
  std::atomic<uint64_t> rounds_{0};
};

}  // namespace cuvette::exec
