// SPDX-License-Identifier: Apache-2.0
// SharedSemaphore: a semaphore that other processes, or CUDA, have too, as one Vulkan device uses
// it.
//
// Its state is in a Block. The device's queues cannot look there, so each semaphore has two
// timelines of the driver:
//
//   mirror  queues wait for it. It follows the block: a thread that sleeps on the block's futex
//           signals it. For a binary semaphore its value is the number of waits that are over.
//   done    queues signal it. A thread that waits for it writes what it says into the block. For a
//           binary semaphore its value is the number of signals.
//
// Both threads exist only while there is something to wait for, and for a while after. A thread
// that queries the semaphore's state first does the work that a helper would do a moment later.
//
// Threads: any. The mutex is held while the driver is called, never while something is waited for.
// Invariants: the mirror only rises, and only here; each wait of a binary semaphore has a number of
// its own and takes one signal away, in the order of the numbers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>

#include "api/vulkan_layer/block.hpp"
#include "api/vulkan_layer/functions.hpp"
#include "api/vulkan_layer/timelines.hpp"
#include "sim/base/mutex.hpp"

namespace cuvette::vulkan_layer {

// The state that the semaphores of one device share.
struct SemaphoreHome {
  VkDevice device;
  const DeviceFunctions& functions;
  Timelines& timelines;
  std::atomic<int64_t> pending_signals{0};  // of all semaphores: submitted, not in a block yet
};

class SharedSemaphore {
 public:
  // The semaphore that a queue, or the driver's vkWaitSemaphores, gets in its place.
  struct Point {
    VkSemaphore semaphore;
    uint64_t value;
  };

  static VkResult make(SemaphoreHome& home, Kind kind, std::unique_ptr<Block> block,
                       std::shared_ptr<SharedSemaphore>& semaphore);
  // Ends the threads. Nothing may be pending, unless release() was called.
  ~SharedSemaphore();
  SharedSemaphore(const SharedSemaphore&) = delete;
  SharedSemaphore& operator=(const SharedSemaphore&) = delete;

  Kind kind() const { return kind_; }
  const Block& block() const { return *block_; }

  // Adds a wait: for a timeline's `value`, or for the next signal of a binary semaphore. A signal
  // that is already there is taken at once. The wait must be submitted, or cancelled.
  VkResult add_wait(uint64_t value, Point& point) EXCLUDES(mutex_);
  // Takes back a wait that was not submitted, or was abandoned.
  void cancel_wait(const Point& point) EXCLUDES(mutex_);

  // The same for a signal.
  VkResult add_signal(uint64_t value, Point& point) EXCLUDES(mutex_);
  void cancel_signal(const Point& point) EXCLUDES(mutex_);

  // Signals from the host.
  VkResult signal(uint64_t value) EXCLUDES(mutex_);
  // Returns a timeline's value.
  uint64_t value() EXCLUDES(mutex_);

  // The block was written by other code in this process.
  void follow() EXCLUDES(mutex_);
  // Writes into the block what the device has signalled so far.
  void publish() EXCLUDES(mutex_);
  // Whether no queue has anything to do with it that is not over.
  bool is_idle() EXCLUDES(mutex_);
  // Ends all waits without a signal. Returns whether there were any.
  bool release() EXCLUDES(mutex_);

  // The process exits: publishes for the last time, and has the threads notice.
  void end_helpers() EXCLUDES(mutex_);

  // Was destroyed by the application while something was pending: queues may look at its timelines
  // until the device is idle.
  void set_abandoned() { abandoned_ = true; }

 private:
  SharedSemaphore(SemaphoreHome& home, Kind kind, std::unique_ptr<Block> block, Timeline mirror,
                  Timeline done);

  struct Helper {
    std::thread thread;
    bool runs = false;
  };

  bool has_waits() const REQUIRES(mutex_) {
    return kind_ == Kind::binary ? mirror_.value < last_wait_ : !waits_.empty();
  }
  void cancel_wait_locked(const Point& point) REQUIRES(mutex_);
  void cancel_signal_locked(const Point& point) REQUIRES(mutex_);
  void set_mirror(uint64_t value) REQUIRES(mutex_);
  void follow_block() REQUIRES(mutex_);
  void publish_locked() REQUIRES(mutex_);
  void forget_signals_up_to(uint64_t value) REQUIRES(mutex_);

  VkResult wake(Helper& helper, const char* name, void (SharedSemaphore::*body)()) REQUIRES(mutex_);
  bool stops() const REQUIRES(mutex_);
  bool rest() REQUIRES(mutex_);
  void look_now_and_then() REQUIRES(mutex_);
  void watch_block() EXCLUDES(mutex_);
  void watch_done() EXCLUDES(mutex_);

  SemaphoreHome& home_;
  const Kind kind_;
  const std::unique_ptr<Block> block_;
  bool abandoned_ = false;

  Mutex mutex_;
  std::condition_variable_any changed_;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool lost_ GUARDED_BY(mutex_) = false;  // the driver has refused to go on
  Helper block_watcher_ GUARDED_BY(mutex_), done_watcher_ GUARDED_BY(mutex_);
  bool libcuda_reports_ GUARDED_BY(mutex_) = false;  // libcuda reports its writes to the block

  Timeline mirror_ GUARDED_BY(mutex_);
  uint64_t last_wait_ GUARDED_BY(mutex_);             // binary: the last number given to a wait
  std::set<uint64_t> cancelled_ GUARDED_BY(mutex_);   // binary: numbers that nobody waits for
  std::multiset<uint64_t> waits_ GUARDED_BY(mutex_);  // timeline: values that are waited for

  Timeline done_ GUARDED_BY(mutex_);                    // its value as far as it is in the block
  uint64_t last_signal_ GUARDED_BY(mutex_);             // binary: the last number given to a signal
  std::multiset<uint64_t> signals_ GUARDED_BY(mutex_);  // pending ones: values of `done`
};

}  // namespace cuvette::vulkan_layer
