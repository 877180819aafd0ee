// SPDX-License-Identifier: Apache-2.0
// Poller: looks again and again at what nobody tells this process of: a word that a host thread or
// another process writes.
//
// What is watched is a timeline that goes to 1 when it has come, so that a queue, or a step of a
// graph, waits for it as for anything else: blocked, without a thread. One thread looks, and only
// while something is watched: without a pause for some tens of microseconds, then at intervals that
// grow with how long it has waited already, up to a millisecond. A command of this process that
// wrote the word says so, and finds out itself whether that was it.
//
// Threads: any. Lock order: the poller's lock, then a timeline's. What has come is told with it, so
// that it has been told when a writer's call returns, whoever has found it: under a schedule the
// next step depends on that.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <vector>

#include "sim/error.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/mutex.hpp"
#include "sim/ref.hpp"

namespace cuvette::exec {

class Polled : public Timeline {
 public:
  // Whether it has come. Short; by one thread at a time. Once it has been true, nobody asks again.
  virtual bool look() = 0;

 protected:
  // [begin, end): the addresses whose writers should say so; none if there are no such.
  explicit Polled(uint64_t begin = 0, uint64_t end = 0) : begin_(begin), end_(end) {}
  ~Polled() override = default;

 private:
  friend class Poller;
  const uint64_t begin_, end_;
};

class Poller {
 public:
  // The process's; it lives as long as that.
  static Poller& get();

  // Before the first watch(). Errors: out_of_memory if the system gives no thread.
  Result<> start() EXCLUDES(mutex_);

  // Looks at `polled` until it has come, which takes its timeline to 1.
  void watch(Ref<Polled> polled) EXCLUDES(mutex_);

  // Somebody in this process has written [begin, end). What waits for that has been told when this
  // returns.
  void written(uint64_t begin, uint64_t end) {
    if (begin < highest_.load(std::memory_order_acquire) &&
        lowest_.load(std::memory_order_acquire) < end) [[unlikely]]
      look_at(begin, end);
  }

  // How many are watched now.
  size_t watched() EXCLUDES(mutex_);
  // How often the thread has looked, for those who ask what an idle program costs.
  uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

 private:
  Poller() = default;
  ~Poller() = default;

  void serve() EXCLUDES(mutex_);
  // Takes out what has come of what is concerned, and tells those who wait for it.
  template <typename Concerned>
  std::vector<Ref<Polled>> take_what_came(const Concerned& concerned) REQUIRES(mutex_);
  void look_at(uint64_t begin, uint64_t end) EXCLUDES(mutex_);

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool started_ GUARDED_BY(mutex_) = false;
  int64_t since_ GUARDED_BY(mutex_) = 0;  // when the last one came or was added
  std::vector<Ref<Polled>> polled_ GUARDED_BY(mutex_);
  // All addresses of what is watched lie in [lowest, highest).
  std::atomic<uint64_t> lowest_{UINT64_MAX}, highest_{0};
  std::atomic<uint64_t> rounds_{0};
};

}  // namespace cuvette::exec
