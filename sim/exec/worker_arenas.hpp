// SPDX-License-Identifier: Apache-2.0
// WorkerArenas: has oneTBB's workers run one function, in as many of them as it is called for.
//
// Each worker has an arena with one slot. An arena with many slots asks oneTBB for all
// of its workers as soon as it holds one task, so that one small command would wake every
// processor. With an arena for each, oneTBB is asked for exactly as many workers as there are
// calls; the arena that was left last is called first, since its worker may still be looking for
// work.
//
// oneTBB ends the process if the system refuses a thread that one of its own threads starts, and
// miscounts its workers if the refusal comes in ours. So a new arena is used only after the system
// has shown that it has room for a thread. All other arenas are busy then, so this call is the one
// that makes oneTBB start it, in the calling thread. After the first refusal no new one is used.
//
// Threads: call() from any. It calls nothing back; it takes some 100 µs when it starts a worker and
// some microseconds otherwise. Invariant: an accepted call is run by the task that was enqueued for
// it or by one that has finished its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/mutex.hpp"

namespace cuvette::exec {

// Lives as long as the process, like its workers.
class WorkerArenas {
 public:
  // For at most `most` workers at once that run the function. Raises oneTBB's limit of threads
  // where its default is less; it never lowers it, since the program may use oneTBB, too.
  WorkerArenas(unsigned most, void (*run)());
  ~WorkerArenas();

  // Has one more worker run the function, or has the first that finishes run it again. Returns
  // false if no worker exists and the system refuses one.
  bool call() EXCLUDES(mutex_);

  // Returns whether a call has been waiting for a worker for so long that other work of the process
  // must have all of oneTBB's threads.
  bool late() const {
    const int64_t since = unanswered_since_.load(std::memory_order_relaxed);
    return since != 0 && late_since(since);
  }

 private:
  struct Arena;
  struct Task;
  bool add_arena() REQUIRES(mutex_);
  void note_call(Arena& arena);
  bool enqueue(Arena& arena);
  bool wait_for_call(Arena& arena) EXCLUDES(mutex_);
  static bool late_since(int64_t since);
  void serve(Arena& arena) EXCLUDES(mutex_);

  std::atomic<int64_t> unanswered_since_{
      0};  // the time of a call that no worker has come for, or 0
  const unsigned most_;
  void (*const run_)();

  Mutex mutex_;
  std::vector<std::unique_ptr<Arena>> arenas_ GUARDED_BY(mutex_);
  Arena* idle_ GUARDED_BY(mutex_) = nullptr;  // a list; the one that became idle last is the first
  bool refused_ GUARDED_BY(mutex_) = false;
  unsigned calls_ GUARDED_BY(mutex_) = 0;  // that no arena was idle for
};

}  // namespace cuvette::exec
