// SPDX-License-Identifier: Apache-2.0
// SharedEvent: what processes that have the same event know of it (CU_EVENT_INTERPROCESS).
//
// Every record has a number, over all processes, and a cell as long as it is pending: the cell
// holds the number, and whoever completes the record empties it. So a record is over when its cell
// does not hold its number any more, whatever was recorded meanwhile. A cell also names the seat of
// the process that made the record, which tells whether that is still there to complete it.
//
// Nobody is told when another process changes a word: whoever waits looks. A stream does that as
// for a value in memory, with the poller.
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

#include "sim/error.hpp"
#include "sim/exec/poller.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/mutex.hpp"
#include "sim/os/shared_block.hpp"
#include "sim/ref.hpp"

namespace cuvette::device {

class Context;

class SharedEvent final : public Counted {
 public:
  // Which event it is: the process that made it, all zero for this one, and its number there.
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

  // A new one of this process. Errors: out_of_memory, operating_system.
  static Result<Ref<SharedEvent>> create();
  // One that this process has already; null if it has not.
  static Ref<SharedEvent> find(const Name& name);
  // Another process's. `fd` is taken over. One thread at a time, and only after find() found none.
  // Errors: unknown, out_of_memory.
  static Result<Ref<SharedEvent>> adopt(const Name& name, int fd);

  const Name& name() const { return name_; }
  int fd() const { return block_->fd(); }

  // A record is about to be made: it is pending from now on. Errors: out_of_memory if too many are,
  // operating_system.
  Result<Mark> begin();
  // It is what the event stands for, and will be over when `timeline` reaches `value`.
  void publish(const Mark& mark, exec::Timeline& timeline, uint64_t value);

  // What was recorded last, by anybody.
  Mark last() const;
  State state(const Mark& mark) const;
  // The same, of a record that was found pending a moment ago: who made it is asked for only now
  // and then, which costs a system call.
  State state_again(const Mark& mark, int64_t& asked_ns) const;
  // The error of a record whose process has ended; says so on stderr, once for each record.
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
  std::atomic<uint32_t> next_cell_{0};  // where to look for an empty one first
  std::atomic<uint64_t> told_lost_{0};
};

// A wait for a record that this process did not make.
class ForeignRecord final : public exec::Polled {
 public:
  // `context` gets the error if the record is lost; null: only whoever asks gets it.
  ForeignRecord(Ref<SharedEvent> event, const SharedEvent::Mark& mark, Ref<Context> context);

  bool look() override;
  // Once look() has been true.
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
