// SPDX-License-Identifier: Apache-2.0
// KernelWatch: what the threads of one launch do wrong. It hands each access and each order to the
// watches that are wanted, and knows nothing of what they look for:
//
//   RaceWatch      threads that nothing orders; which bytes the launch touches
//   MeetingWatch   barriers and masks; where a launch waits
//   AliasWatch     memory that has several addresses
//   ChangeWatch    whether a launch that waits changes memory
//   TaintWatch     what uninitialised bytes decide
//   ReadOnlyWatch  memory that is read as if the launch did not write it
//
// Threads: the one that runs the grid; afterwards any, one at a time. Invariants: an access is
// given to every watch before it takes place; one that cannot take rows or lines gets it lane by
// lane, and so do the others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/check/kernel/alias_watch.hpp"
#include "sim/check/kernel/change_watch.hpp"
#include "sim/check/kernel/meeting_watch.hpp"
#include "sim/check/kernel/race_watch.hpp"
#include "sim/check/kernel/read_only_watch.hpp"
#include "sim/check/kernel/taint_watch.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::watch {

// The mistakes that are looked for in a launch.
struct WatchFor {
  bool races = true;
  bool meetings = false;              // whether the rules of barriers and their like are kept
  std::vector<AliasedRange> aliases;  // memory that has several addresses
  bool adversary = false;             // see AliasWatch, ReadOnlyWatch
  WrittenMemory* written = nullptr;   // for reads of what nobody has written
  RaceWatch::Window window;           // the device's
  // The meaning of the numbers in compiled code; it outlives the watch.
  std::span<const ptx::NumberedAccess> accesses;
};

class KernelWatch final : public exec::GridWatch {
 public:
  KernelWatch(uint32_t threads, WatchFor what);

  std::unique_ptr<exec::BlockWatch> begins(exec::Block& block,
                                           std::unique_ptr<exec::BlockWatch> earlier) override;
  void accesses(exec::Block& block, const exec::WarpAccess& access) override;
  bool rows(exec::Block& block, const exec::WarpRows& rows, const exec::GridRange& around) override;
  ptx::Noted note_line(exec::Block& block, const exec::WarpLine& line) override;
  void orders(exec::Block& block, const exec::WarpOrdering& ordering) override;
  void arrives(exec::Block& block, uint32_t number, uint32_t mask, uint32_t warp) override;
  void meet(exec::Block& block, uint32_t number, uint32_t warps, bool all) override;
  void renewed(uint64_t address, uint64_t bytes) override;
  void freed(uint64_t address, uint64_t bytes) override;

  void written(exec::Block& block, uint64_t address, uint64_t bytes) override;
  bool all_written(exec::Block& block, const exec::WarpRows& rows) override;
  bool taint_load(exec::Block& block, const exec::WarpAccess& access, uint32_t* taints,
                  uint32_t count) override;
  void taint_store(exec::Block& block, const exec::WarpAccess& access, const uint32_t* taints,
                   uint32_t count) override;
  void taint_use(exec::Block& block, ptx::TaintUse use, const uint32_t* taints,
                 const exec::WarpAccess& by) override;

  // A launch that has waited for so long is asked whether it changes memory; see ChangeWatch.
  static constexpr int64_t long_wait_ns = 500'000'000;
  // The grid pauses and has waited for `ns`. Whether it goes on, as it has changed memory since it
  // was first asked. Each waiting block is to be notified by follow_changes().
  bool goes_on(int64_t ns);
  void follow_changes(exec::Block& block) const;

  // The launch of so many threads has ended.
  void end(uint64_t threads) {
    if (taint_) taint_->end(threads);
  }
  const RaceWatch& races() const { return races_; }
  const MeetingWatch& meetings() const { return meetings_; }
  const AliasWatch& aliases() const { return aliases_; }
  // Memory that was read as read-only and written by the launch; finding it needs the races.
  std::vector<ReadOnlyMistake> read_only_mistakes() const { return read_only_.found(races_); }
  // Reads of uninitialised memory; null if they are not tracked.
  const TaintWatch* taint() const { return taint_.get(); }

 private:
  struct BlockState;

  static BlockState& of(exec::Block& block);
  void follow_changes(exec::Block& block, const BlockState& own) const;

  const uint32_t threads_;  // of a block
  // Whether each access has to be seen lane by lane, so that no memory has notes.
  bool sees_lanes() const { return aliases_.any() || read_only_.hides(); }

  AliasWatch aliases_;
  ReadOnlyWatch read_only_;
  ChangeWatch changes_;
  const std::unique_ptr<TaintWatch> taint_;
  MeetingWatch meetings_;
  RaceWatch races_;
};

}  // namespace cuvette::watch
