// SPDX-License-Identifier: Apache-2.0
// Stream: a serial queue of operations of one context, which are its commands.
//
// Threads: any may submit (through Context::submit, which knows the rules between streams); one
// runner at a time executes commands. Invariants: commands are numbered from 1; submitted() -
// completed() of them are in the chunks; the timeline's value is the number of the last completed
// one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "sim/base/api_object.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/stream/operation.hpp"
#include "sim/device/stream/stream_hints.hpp"
#include "sim/device/stream/stream_order.hpp"
#include "sim/exec/serial_queue.hpp"

namespace cuvette::device {

class Context;

enum class StreamKind : uint8_t {
  legacy,        // the null stream that orders itself against all blocking ones
  per_thread,    // the null stream of one thread; a blocking one
  blocking,      // cuStreamCreate(CU_STREAM_DEFAULT)
  non_blocking,  // CU_STREAM_NON_BLOCKING
};

// CUsynchronizationPolicy's numbers: how cuStreamSynchronize waits.
enum class SyncPolicy : int { unset = -1, automatic = 1, spin = 2, yield = 3, blocking = 4 };

class Stream final : public exec::SerialQueue,
                     public ApiObject,
                     private OperationRunner,
                     private exec::Waiter {
 public:
  // `priority` is CUDA's: 0 is the lowest, negative numbers are more urgent. A stream keeps its
  // context alive, except for the legacy stream, which its context keeps.
  Stream(Context& context, StreamKind kind, int priority, uint64_t id);

  Context& context() const { return context_; }
  // Its context's generation at its creation; the stream is dead if that has changed.
  uint64_t context_generation() const { return context_generation_; }
  StreamKind kind() const { return kind_; }
  int priority() const { return -static_cast<int>(urgency()); }
  void set_priority(int priority) { set_urgency(static_cast<unsigned>(-priority)); }
  // Its number among all streams of the process, from 0: that of its lane and of reports.
  uint64_t id() const { return id_; }
  // `unset` and `automatic` mean the context's way.
  std::atomic<SyncPolicy> sync_policy{SyncPolicy::unset};
  exec::Patience patience() const;
  StreamHints& hints() { return hints_; }
  // What the record of this process has of it, for the observer that writes it. Any thread may
  // begin it.
  mutable std::atomic<void*> recorded{nullptr};

  StreamOrder& order() { return order_; }
  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  bool idle() const { return reached(submitted()); }
  // Answers an application that asks whether commands up to `number` are completed. Under a
  // schedule the question also advances the work, unless a running command `asks`.
  enum class Asks : uint8_t { program, command };
  bool answer_completed(uint64_t number, Asks asks = Asks::program);
  // The same for all its commands. Measured on an H200: while a blocking stream has work, its
  // context's legacy stream is not idle either.
  bool answer_idle(Asks asks = Asks::program);

  // --- For captures ---
  // Its place in a capture, or null. The capture knows its type, and guards it with a lock of its
  // own.
  Counted* capture_seat() const { return capture_seat_.get(); }
  void set_capture_seat(Ref<Counted> seat) { capture_seat_ = std::move(seat); }

  void drain(uint64_t target) override;
  exec::Edge blocked_on() const override { return blocked_on_; }

 private:
  friend class Context;
  static constexpr uint64_t chunk_size = 16;
  struct Chunk;

  ~Stream() override;

  // Makes the operation visible to the runner; does not offer the queue. Returns its number.
  uint64_t append(Operation&& operation) EXCLUDES(append_mutex_);

  // A stream that still has work when its context is torn down, or that gets some afterwards from a
  // thread that was in the middle of a call, keeps the context, and stays in the context's list of
  // streams with work. The runner of its last command ends both.
  void keep_ended_context(Context& context);
  Ref<Context> take_ended_context();
  void leave_ended_context();

  // Starts command `number`, a host call, if it is the next one, so that host calls that wait for
  // nothing reach the host thread in the order of submission, regardless of their streams. False if
  // commands before it are still to run.
  bool post_host_call(uint64_t number);

  // Runs command `number`, just appended, if nothing is before it; it may still have to wait for
  // its edges. Returns false if the caller must offer it, as always under a schedule.
  bool run_if_next(uint64_t number);

  // --- For the runner ---
  Operation& operation(uint64_t number);
  // Continues the front operation. Returns false if it is not done; other threads do it, or the
  // stream waits and will be offered again.
  bool go_on(uint64_t number, Operation& operation);
  // Returns true if the stream waits, and will be offered once `edge` is reached.
  bool park_until(exec::Edge edge);
  void finish(uint64_t number, Operation& operation);

  // OperationRunner, for the front operation.
  Stream& stream() override { return *this; }
  uint64_t number() const override { return completed() + 1; }
  void hand_over(bool help) override;
  void done_elsewhere(bool host_thread) override;

  void wake() override { offer(); }

  Context& context_;
  const Ref<Context> kept_context_;
  const uint64_t context_generation_;
  const StreamKind kind_;
  StreamHints hints_;
  const uint64_t id_;

  // The submitters' cache lines come first, then the runner's: they write at the same time.
  alignas(64) std::atomic<uint64_t> submitted_{0};
  Mutex append_mutex_;
  Chunk* tail_ GUARDED_BY(append_mutex_) = nullptr;
  uint64_t waits_seen_ GUARDED_BY(append_mutex_) = 0;  // of Context::waits()
  std::atomic<Chunk*> first_{nullptr};                 // from the first append, for the runner
  std::atomic<bool> active_{false};                    // in the context's list of streams with work
  std::atomic<Context*> ended_context_{nullptr};       // owns a reference
  // Guarded by the context's order mutex.
  bool unordered_ = false;    // in the context's list of streams the legacy stream must wait for
  uint64_t legacy_seen_ = 0;  // the legacy stream's command that this stream is ordered after

  StreamOrder order_;
  Ref<Counted> capture_seat_;

  alignas(64) Chunk* head_ = nullptr;
  bool head_exhausted_ = false;
  bool on_host_thread_ = false;  // the runner is the context's host thread
  exec::Edge blocked_on_;
  bool begun_ = false;  // observers know that the front operation has started
  // Whether other threads do the front operation: the stream then has no runner, or one that helps.
  enum class Elsewhere : uint8_t { no, yes, done };
  std::atomic<Elsewhere> elsewhere_{Elsewhere::no};
  std::atomic<Chunk*> spare_{nullptr};  // one emptied chunk, to save the allocator's time
};

}  // namespace cuvette::device
