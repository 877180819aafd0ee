// SPDX-License-Identifier: Apache-2.0
// MeetingWatch: whether the blocks of a launch keep the rules of barriers and masks (MeetingRules),
// and where a launch that waits has been last.
//
// Threads: the one that runs the grid; afterwards any, one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/check/kernel/accessor.hpp"
#include "sim/check/kernel/meeting_rules.hpp"
#include "sim/exec/grid_watch.hpp"
#include "sim/ptx/abi/jit.hpp"

namespace cuvette::watch {

// The latest access, which shows where a kernel waits.
struct LastAccess {
  Accessor by;
  uint64_t address = 0;
};

class MeetingWatch {
 public:
  // Its state for a block: none unless it is wanted.
  using BlockState = std::optional<MeetingRules>;

  // `accesses`: the meaning of the numbers in compiled code.
  MeetingWatch(uint32_t threads, bool wanted, std::span<const ptx::NumberedAccess> accesses)
      : threads_(threads), wanted_(wanted), accesses_(accesses) {}

  bool is_wanted() const { return wanted_; }
  void begins(BlockState& own, uint64_t block) {
    if (!wanted_) return;
    if (!own) own.emplace(threads_, mistakes_);
    own->begin(block);
  }
  // Lanes do something else than to meet.
  void seen(BlockState& own, uint32_t warp, uint32_t mask) {
    if (own) own->seen(warp, mask);
  }
  // A thread accesses memory. `number`: the access's in compiled code; 0: `place` says it.
  void accesses(uint64_t block, uint32_t thread, uint32_t number, const Place& place,
                uint64_t address) {
    if (!wanted_) return;
    last_ = {{block, thread, place}, address};
    last_number_ = number;
  }
  void orders(BlockState& own, const exec::WarpOrdering& ordering,
              const ptx::BlockContext& context) {
    if (own) own->orders(ordering, context);
  }
  void meet(BlockState& own, uint32_t number, uint32_t warps, bool all) {
    if (own) own->meet(number, warps, all);
  }

  const std::vector<MeetingMistake>& mistakes() const { return mistakes_.all(); }
  LastAccess last_access() const {
    LastAccess last = last_;
    if (last_number_ == 0 || last_number_ > accesses_.size()) return last;
    const ptx::NumberedAccess& access = accesses_[last_number_ - 1];
    last.by.place = {access.location, access.access};
    return last;
  }

 private:
  const uint32_t threads_;  // of a block
  const bool wanted_;
  const std::span<const ptx::NumberedAccess> accesses_;
  MeetingMistakes mistakes_;
  LastAccess last_;           // the place is last_number_'s, if that is not 0
  uint32_t last_number_ = 0;  // in compiled code
};

}  // namespace cuvette::watch
