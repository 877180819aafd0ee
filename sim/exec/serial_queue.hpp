// SPDX-License-Identifier: Apache-2.0
// SerialQueue: work that at most one thread runs at a time, in order.
//
// No thread ever blocks inside it. Its runner is the thread that runs it at the moment: a worker
// that took it from the ready list, or a thread that waits for it and helps. When the next item has
// to wait for another timeline, the runner leaves, and reaching that timeline's value offers the
// queue again.
//
// Threads: offer(), try_claim() from any; drain() and unclaim() by the runner alone.
// Invariants: an offered queue is on the ready list or has a runner that will see the offer when it
// leaves; it is on the list at most once.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sim/exec/schedule.hpp"
#include "sim/exec/timeline.hpp"

namespace cuvette::exec {

class SerialQueue : public Timeline {
 public:
  // `urgency`: 0 is the least; the ready list gives out more urgent queues first.
  explicit SerialQueue(unsigned urgency) : urgency_(urgency) {}

  SerialQueue* queue() final { return this; }

  // Notes that there may be something to run. The runner looks or, if there is none, a worker.
  void offer() {
    if (state_.fetch_or(wanted, std::memory_order_seq_cst) == 0) enlist();
  }
  // Like offer(), for work that was announced by a sequentially consistent store just before and
  // that drain() looks for with a sequentially consistent load. An earlier offer is then enough, so
  // submitting to a busy queue writes nothing that its runner keeps reading.
  void offer_told() {
    if (!(state_.load(std::memory_order_seq_cst) & (wanted | parked))) offer();
  }

  // If true, the caller is now the runner and owes an unclaim().
  bool try_claim();
  void unclaim() {
    if (state_.fetch_and(~running, std::memory_order_seq_cst) & wanted) enlist();
  }

  // Runs items until `target` of them are completed, none is left, or the next one has to wait (in
  // which case the queue will be offered again). Leaves an offer if it stops at `target` before the
  // end.
  virtual void drain(uint64_t target) = 0;

  // Returns what the next item waits for, if drain() ended for that reason. For the runner.
  virtual Edge blocked_on() const = 0;

  unsigned urgency() const { return urgency_.load(std::memory_order_relaxed); }
  // Takes effect when the queue next becomes ready.
  void set_urgency(unsigned urgency) { urgency_.store(urgency, std::memory_order_relaxed); }

  // Returns the lane by which a schedule names the queue (scheduler.hpp), if it has one.
  std::optional<uint32_t> lane() const { return lane_; }
  // Returns when its next item takes place under a schedule, if it has no lane.
  virtual Due due() const { return {}; }

 protected:
  // Leaves an offer, for the runner itself: unclaim() passes it on.
  void want_again() { state_.fetch_or(wanted, std::memory_order_relaxed); }

  // For the runner: nothing can run until another thread, which is about to be notified, calls
  // unpark(). Until then offers wake no worker.
  void park() { state_.fetch_or(parked, std::memory_order_seq_cst); }
  // For that thread, or for the runner if no thread was notified. Offers made during this are not
  // passed on: the caller claims the queue or offers it.
  void unpark() { state_.fetch_and(~parked, std::memory_order_seq_cst); }

  // Gives the queue the lane of this number, which no other has, if there is a schedule.
  void take_lane(uint32_t number);

 private:
  friend class Scheduler;
  friend class Workers;
  static constexpr uint32_t running = 1, wanted = 2, parked = 4;

  void enlist();

  alignas(64) std::atomic<uint32_t> state_{0};  // apart from the timeline, which its runner writes
  std::atomic<bool> listed_{false};             // on the ready list, which then holds a reference
  std::atomic<unsigned> urgency_;
  SerialQueue* next_ready_ = nullptr;  // belongs to the ready list
  std::optional<uint32_t> lane_;
  bool scheduled_ = false;  // in the scheduler's list; belongs to it
};

// How a thread waits when there is nothing it can help with.
enum class Patience { spin, yield, block, automatic };

// Returns when `queue` has completed `target` items. Until then the calling thread runs the work
// that it waits for, unless another thread does: the queue itself and the queues that it is blocked
// on, never past the value that it needs.
void help_until(SerialQueue& queue, uint64_t target, Patience patience);

// Returns when `timeline` has reached `target`; the calling thread sleeps.
void sleep_until(Timeline& timeline, uint64_t target);

}  // namespace cuvette::exec
