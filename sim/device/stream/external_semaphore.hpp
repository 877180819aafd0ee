// SPDX-License-Identifier: Apache-2.0
// External semaphores: made by another API or process; streams signal them and wait for them.
//
// sim/interop knows what a semaphore is; this file says what streams and graphs do with it. If an
// action, usually a wait, cannot be done when its stream reaches it, the poller watches it. The
// action is a timeline that goes to 1 when it is done; it blocks its stream or graph step without
// holding a thread.
//
// Nothing here can know whether another process will ever signal. So a context that is torn down
// abandons its waits and the work after them: see SemaphoreAction::look().
//
// Threads: any. Invariant: an action is done once, by the one thread that looks at it: first the
// runner, later the poller.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/exec/poller.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/record/resource.hpp"

namespace cuvette::device {

enum class SemaphoreKind : uint8_t {
  binary,    // signalled or not; a wait takes the signal away
  timeline,  // a counter that only rises; a wait is for a value or more
};

class ExternalSemaphore : public Counted {
 public:
  enum class Progress : uint8_t {
    done,
    pending,  // not yet: try again later
    lost,     // its memory is gone
  };

  SemaphoreKind kind() const { return kind_; }
  // Unique in this process for all time.
  uint64_t id() const { return id_; }

  // Signals a binary semaphore, or raises a timeline's counter to `value` if it is lower. Does not
  // block.
  virtual Progress signal(uint64_t value) = 0;
  // Returns done if a binary semaphore was signalled, and takes the signal away, or if the counter
  // has reached `value`.
  virtual Progress wait(uint64_t value) = 0;

  // It was changed in this process: its waiters here look at once.
  void written();
  // Whether most who change it call written().
  virtual bool writers_report() const { return false; }
  const record::Resource& recorded() const { return recorded_; }

  // Counts one more signal that `stream` has yet to make, or (`more` is false) one fewer: it was
  // made or never will be. Each decrement matches an earlier increment.
  void announce(const Stream& stream, bool more) EXCLUDES(mutex_);
  // Whether a stream other than this one has yet to make a signal.
  bool announced_besides(const Stream& stream) EXCLUDES(mutex_);

 protected:
  explicit ExternalSemaphore(SemaphoreKind kind);
  ~ExternalSemaphore() override = default;

 private:
  const SemaphoreKind kind_;
  const uint64_t id_;
  Mutex mutex_;
  record::Resource recorded_;
  std::map<uint64_t, uint32_t> announced_ GUARDED_BY(mutex_);  // signals to come, by stream id
};

struct SemaphoreOperation {
  Ref<ExternalSemaphore> semaphore;
  uint64_t value = 0;      // of a timeline
  uintptr_t api_name = 0;  // the handle; a semaphore has one for each import
};

// One signal or wait of a stream.
class SemaphoreAction final : public exec::Polled {
 public:
  // `stream` must live until the action is done.
  SemaphoreAction(Stream& stream, const SemaphoreOperation& operation, bool signals);

  const ExternalSemaphore& semaphore() const { return *semaphore_; }
  uint64_t value() const { return value_; }
  bool signals() const { return signals_; }

  // Tries the action when its turn has come. Returns the edge to wait for, an empty one if it is
  // done. If the first call does not finish it, the poller watches it.
  exec::Edge begin();

  bool look() override;

 private:
  ~SemaphoreAction() override;
  void settled();
  bool given_up();

  Stream& stream_;
  const Ref<ExternalSemaphore> semaphore_;
  const uint64_t value_;
  const bool signals_;
  bool begun_ = false;                 // only the runner uses it
  std::atomic<bool> withdrawn_{true};  // no longer among its semaphore's announced signals
};

// Signals, or waits for, several semaphores in order.
class SemaphoreCall final : public OperationOf<SemaphoreCall> {
 public:
  SemaphoreCall(std::vector<Ref<SemaphoreAction>> actions, bool signals, const void* call_site)
      : OperationOf(signals ? OperationKind::semaphore_signal : OperationKind::semaphore_wait,
                    call_site),
        actions_(std::move(actions)) {}

  Progress step(OperationRunner& runner) override;
  bool may_block() const override { return true; }
  std::span<const Ref<SemaphoreAction>> semaphores() const override { return actions_; }

 private:
  std::vector<Ref<SemaphoreAction>> actions_;
  size_t done_ = 0;
};

// Makes one operation of all signals, or all waits, for a launch in `stream`. Errors:
// out_of_memory.
Result<SemaphoreCall> make_semaphore_call(Stream& stream,
                                          std::span<const SemaphoreOperation> operations,
                                          bool signals, const void* call_site);
// Appends all signals, or all waits, to the stream, in their order. Errors: out_of_memory.
Result<> submit(Stream& stream, std::span<const SemaphoreOperation> operations, bool signals,
                const void* call_site);

}  // namespace cuvette::device
