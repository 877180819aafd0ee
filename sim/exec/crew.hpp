// SPDX-License-Identifier: Apache-2.0
// Crew: threads that run one function whenever they are called and sleep in between.
//
// A thread is started when it is first needed and lives as long as the process. Where the system
// refuses one, the existing threads do more.
//
// Threads: call() from any. It is short and calls nothing back. Invariant: an accepted call is run
// by a thread that has started for it, that will wake for it, or that looks for calls when it has
// finished its own.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/base/mutex.hpp"

namespace cuvette::exec {

class Crew {
 public:
  // Makes a crew of at most `most` threads, named `name` (15 characters).
  Crew(const char* name, unsigned most, void (*run)()) : name_(name), most_(most), run_(run) {}

  // Has one more thread run the function, or has the first that finishes run it again. False if
  // there is no thread at all and the system refuses one.
  bool call() EXCLUDES(mutex_);

 private:
  void serve() EXCLUDES(mutex_);
  void wait_for_call() EXCLUDES(mutex_);

  const char* const name_;
  const unsigned most_;
  void (*const run_)();

  Mutex mutex_;
  unsigned threads_ GUARDED_BY(mutex_) = 0;
  unsigned idle_ GUARDED_BY(mutex_) = 0;      // how many of them wait for a call
  unsigned calls_ GUARDED_BY(mutex_) = 0;     // calls that nobody has taken
  int64_t called_at_ GUARDED_BY(mutex_) = 0;  // time of the last call for a waiting thread
  std::atomic<uint32_t> called_{0};           // counts such calls; waiting threads sleep on it
};

}  // namespace cuvette::exec
