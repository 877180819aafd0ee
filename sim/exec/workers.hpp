// SPDX-License-Identifier: Apache-2.0
// Workers: the threads that run devices' work.
//
// A ready list holds the queues that have something to run, the most urgent first. A pump is a task
// of oneTBB that takes queues from it. Pumps are enqueued when there are more ready queues than
// pumps that look for work. Up to two idle pumps go on looking for a few tens of microseconds, so
// that small submissions do not cost a wake-up each. Idle workers cost nothing: the last pumps end,
// and oneTBB's threads sleep.
//
// Where the system gives fewer threads than there should be, the existing ones do the work; if
// there is none, or the program keeps all of oneTBB's threads busy, the program's threads do it
// when they call.
//
// Threads: any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>

#include "sim/base/mutex.hpp"
#include "sim/exec/serial_queue.hpp"
#include "sim/exec/worker_arenas.hpp"

namespace cuvette::exec {

// A function to be called once for each index below a count, by several threads at once.
class Pieces {
 public:
  virtual void run(size_t index) = 0;

 protected:
  ~Pieces() = default;
};

class Workers {
 public:
  // Sets up `count` >= 1 worker threads for the process, which start when they are needed; called
  // once, before anything else here.
  static void start(unsigned count);
  static bool started() { return instance_.load(std::memory_order_acquire) != nullptr; }
  static Workers& get() { return *instance_.load(std::memory_order_acquire); }

  unsigned count() const { return count_; }
  // Whether a queue or a team waits for a worker.
  bool wanted() const { return ready_.load(std::memory_order_relaxed) > 0; }

  // Calls `pieces.run(i)` for every i below `count`, begun in index order, in this thread and in
  // workers that have nothing better to do. Returns when all calls have returned.
  void run_pieces(size_t count, Pieces& pieces) EXCLUDES(mutex_);

  // Runs what is ready if no worker does. The calling thread holds no lock.
  void stand_in() {
    if (alone_.load(std::memory_order_relaxed) || arenas_.late()) [[unlikely]]
      run_ready();
  }

 private:
  friend class SerialQueue;
  struct Team;
  static constexpr unsigned urgencies = 8;

  explicit Workers(unsigned count);
  ~Workers() = delete;  // they live as long as the process

  void push(SerialQueue& queue) EXCLUDES(mutex_);
  Ref<SerialQueue> pop() EXCLUDES(mutex_);
  // Returns the first team that wants another member, which the caller now is, or null.
  Team* join_team() EXCLUDES(mutex_);
  void work_in(Team& team) EXCLUDES(mutex_);
  void call_pumps();
  void note_alone(bool alone);
  void sleep_a_moment();
  void run_ready();
  void pump();
  void run(SerialQueue& queue);

  static std::atomic<Workers*> instance_;

  const unsigned count_;
  const unsigned patient_pumps_;           // how many idle pumps go on looking for a while
  std::atomic<bool> alone_{false};         // when a thread was last wanted, there was none at all
  std::atomic<uint32_t> nobody_wakes_{0};  // for sleeps that only time ends
  WorkerArenas arenas_;
  std::atomic<uint32_t> ready_{0};      // queues on the list, and helpers wanted by teams
  std::atomic<uint32_t> pumps_{0};      // started and not yet gone
  std::atomic<uint32_t> searching_{0};  // those of them that look for work
  Mutex mutex_;
  struct List {
    SerialQueue* first = nullptr;
    SerialQueue* last = nullptr;
  };
  List lists_[urgencies] GUARDED_BY(mutex_);
  Team* teams_ GUARDED_BY(mutex_) = nullptr;
  std::condition_variable_any team_left_;  // signalled by members of a team when its caller sleeps
};

}  // namespace cuvette::exec
