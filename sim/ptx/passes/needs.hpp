// SPDX-License-Identifier: Apache-2.0
// Which registers and masks are needed at the beginning of each block: by the lanes that have
// arrived there, and by the lanes that wait elsewhere at that time.
//
// Outside of regions no lane waits. In a region lanes wait at a block from the branch that sent
// them there until it is their turn: until then the warp runs the blocks between the two, and
// repeats the blocks of a loop that they have left. So a waiting lane needs a register over runs of
// blocks, and the runs are stored: a set for each block would take space quadratic in the number
// of blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/passes/regions.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// A key is a register or, after all of them, the mask of a block. Flow and regions must outlive
// it.
class Needs {
 public:
  Needs() = default;
  Needs(const Body& body, const Flow& flow, const Regions& regions);

  // Whether lanes that wait while `block` runs need it.
  bool waits(BlockId block, uint32_t key) const;
  // Whether waiting lanes or the block's own lanes need it.
  bool needed(BlockId block, uint32_t key) const;
  // Calls `f` with each key that waiting lanes need, and the first and last block of a run of them.
  template <typename F>
  void each_run(const F& f) const {
    for (const uint32_t key : kept_)
      for (const Run& run : runs_[key]) f(key, blocks_[run.first], blocks_[run.last]);
  }
  // All such keys.
  BitSet waiting(BlockId block) const;
  BitSet needed(BlockId block) const;

 private:
  // Blocks by place, first and last; in order, and apart from each other.
  struct Run {
    uint32_t first, last;
  };
  void find_in(int32_t region);
  static void insert(std::vector<Run>& runs, Run run);

  const Flow* flow_ = nullptr;
  const Regions* regions_ = nullptr;
  uint32_t registers_ = 0;
  std::vector<uint32_t> place_;         // of a block: the masks of a region are adjacent
  std::vector<BlockId> blocks_;         // by place
  std::vector<std::vector<Run>> runs_;  // of a key
  std::vector<uint32_t> kept_;          // keys that have runs
};

}  // namespace cuvette::ptx
