// SPDX-License-Identifier: Apache-2.0
// Crew: threads that run one function whenever they are called, and sleep in between.
//
// A thread is started when it is first needed and lives as long as the process. Where the system
// gives none, those that there are do more.
//
// Threads: call() from any; short, and it calls nothing back.
// Invariant: a call that was accepted is run by a thread that has begun with it, that will wake, or
// that looks for calls when it is done with its own.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/mutex.hpp"

namespace cuvette::exec {

class Crew {
 public:
  // At most `most` threads, named `name` (15 characters).
  Crew(const char* name, unsigned most, void (*run)()) : name_(name), most_(most), run_(run) {}

  // One thread more runs the function, or the first that is done with it runs it again. False:
  // there is no thread at all, and the system gives none.
  bool call() EXCLUDES(mutex_);

 private:
  void serve() EXCLUDES(mutex_);
  void wait_for_call() EXCLUDES(mutex_);

  const char* const name_;
  const unsigned most_;
  void (*const run_)();

  Mutex mutex_;
  unsigned threads_ GUARDED_BY(mutex_) = 0;
  unsigned idle_ GUARDED_BY(mutex_) = 0;      // of these, those that wait for a call
  unsigned calls_ GUARDED_BY(mutex_) = 0;     // that nobody has taken
  int64_t called_at_ GUARDED_BY(mutex_) = 0;  // the last call for one that waits
  std::atomic<uint32_t> called_{0};           // counts these; those that wait sleep in it
};

}  // namespace cuvette::exec
