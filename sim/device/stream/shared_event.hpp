// SPDX-License-Identifier: Apache-2.0
// SharedEvent: the state of an event that processes share (CU_EVENT_INTERPROCESS).
//
// Every record has a number, counted over all processes, and a cell while it is pending. The cell
// holds the number until the record is completed. So a record is over when its cell no longer holds
// its number, regardless of later records. A cell also names the seat of the process that made the
// record, which shows whether that process still exists to complete it.
//
// A change by another process sends no notification, so waiters have to look: the poller does it
// for streams, as for a value in memory.
//
// Threads: any. Invariants: what `latest` names was pending when it was written; only its process
// empties a cell.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/exec/poller.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/os/shared_block.hpp"

namespace cuvette::device {

class Context;

class SharedEvent final : public Counted {
 public:
  // Identifies an event: the process that made it (all zero for this one) and its number there.
  struct Name {
    std::array<uint8_t, 16> process{};
    uint64_t number = 0;
    auto operator<=>(const Name&) const = default;
  };
  // A record, by its number and cell.
  struct Mark {
    uint64_t number = 0;  // 0: none
    uint32_t cell = 0;
  };
  enum class State { pending, completed, lost };

  // Makes a new event of this process. Errors: out_of_memory, operating_system.
  static Result<Ref<SharedEvent>> create();
  // Returns an event that this process has already, else null.
  static Ref<SharedEvent> find(const Name& name);
  // Opens another process's event and takes over `fd`. Call it from one thread at a time, and only
  // after find() found none. Errors: unknown, out_of_memory.
  static Result<Ref<SharedEvent>> adopt(const Name& name, int fd);

  const Name& name() const { return name_; }
  int fd() const { return block_->fd(); }

  // Begins a record, which is pending from now on. Errors: out_of_memory if too many are pending,
  // operating_system.
  Result<Mark> begin();
  // Makes the record the event's latest; it is over when `timeline` reaches `value`.
  void publish(const Mark& mark, exec::Timeline& timeline, uint64_t value);

  // Returns the latest record, whichever process made it.
  Mark last() const;
  State state(const Mark& mark) const;
  // The same for a record that was pending a moment ago: checks only now and then whether its
  // process still exists, because that costs a system call.
  State state_again(const Mark& mark, int64_t& asked_ns) const;
  // Returns the error for a record of a process that ended, and says so on stderr, once for each
  // record.
  Error lost(const Mark& mark);

 private:
  struct Words;
  class Publication;

  SharedEvent(const Name& name, std::unique_ptr<os::SharedBlock> block);
  ~SharedEvent() override;
  Words& words() const { return *static_cast<Words*>(block_->data()); }
  Result<uint32_t> seat() EXCLUDES(mutex_);
  State look(const Mark& mark, bool ask) const;

  const Name name_;
  std::unique_ptr<os::SharedBlock> block_;
  Mutex mutex_;
  std::atomic<uint32_t> seat_{0};       // this process's; 0: none yet
  std::atomic<uint32_t> next_cell_{0};  // where to start looking for an empty one
  std::atomic<uint64_t> told_lost_{0};
};

// A wait for a record that this process did not make.
class ForeignRecord final : public exec::Polled {
 public:
  // `context` gets the error if the record is lost; null: only lost() reports it.
  ForeignRecord(Ref<SharedEvent> event, const SharedEvent::Mark& mark, Ref<Context> context);

  bool look() override;
  // Call it once look() has returned true.
  bool lost() const { return lost_.load(std::memory_order_acquire); }

 private:
  ~ForeignRecord() override;

  const Ref<SharedEvent> event_;
  const SharedEvent::Mark mark_;
  const Ref<Context> context_;
  int64_t asked_ns_ = 0;
  std::atomic<bool> lost_{false};
};

}  // namespace cuvette::device
