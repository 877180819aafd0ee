// SPDX-License-Identifier: Apache-2.0
// Whether a launch changes memory. A loop that seems to wait for other threads may compute instead;
// if no thread is left that could end the wait, its writes distinguish the two: a loop that only
// waits leaves all bytes as they are. Local memory does not count: there the compiler may keep how
// often the loop has looked.
//
// Threads: the one that runs the grid.
#pragma once

#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"

namespace cuvette::watch {

class ChangeWatch {
 public:
  void begin() {
    looks_ = true;
    changed_ = false;
  }
  void end() { looks_ = false; }
  // The grid pauses: what comes later may find other memory.
  void pauses() { pending_.mask = 0; }
  bool looks() const { return looks_; }
  // Whether a byte has changed since begin().
  bool changed() const { return changed_; }

  // The access comes next.
  void accesses(const exec::Block& block, const exec::WarpAccess& warp);

 private:
  static constexpr uint32_t most_bytes = 16;  // of an access

  // An atomic operation. Its result shows when the block's next access comes.
  struct Pending {
    const exec::Block* block = nullptr;
    uint64_t index;  // of the block
    uint32_t mask = 0, bytes;
    const uint8_t* at[ptx::warp_size];
    uint8_t before[ptx::warp_size][most_bytes];
  };

  void look_at_pending(const exec::Block& block);

  bool looks_ = false, changed_ = false;
  Pending pending_;
};

}  // namespace cuvette::watch
