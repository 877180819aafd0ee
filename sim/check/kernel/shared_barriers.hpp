// SPDX-License-Identifier: Apache-2.0
// SharedBarriers: whether the barriers in shared memory (mbarrier) of a block live as long as they
// are waited for.
//
// A thread waits from the first test that fails to one that does not, or until it meets others at
// a barrier of the block or the warp. If its barrier is invalidated meanwhile, or initialised
// again, the phase that it waits for never ends, whatever others do. The same holds for a thread
// that has arrived, and has not yet waited, where the barrier is initialised without having been
// invalidated ("the behavior ... is undefined", PTX ISA, mbarrier.init).
//
// Only a test that fails after that is a mistake: it shows that the thread does wait.
//
// Threads: the one that runs the grid.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "sim/exec/grid_watch.hpp"

namespace cuvette::watch {

class SharedBarriers {
 public:
  // A barrier that has begun again, or ended, under threads that wait for it.
  struct Mistake {
    bool begun;         // else it has ended
    uint64_t place;     // its offset in shared memory
    uint64_t location;  // of what began or ended it
    uint32_t lanes;     // that wait
  };

  // The block before has ended.
  void clear() { barriers_.clear(); }
  std::optional<Mistake> orders(const exec::WarpOrdering& ordering,
                                const ptx::BlockContext& context);

 private:
  static constexpr uint32_t most_warps = 32;
  // Lanes by warp.
  using Lanes = std::array<uint32_t, most_warps>;
  struct Barrier {
    bool lives = false, begun = false;
    uint64_t changed_at = 0;  // the latest mbarrier.init or mbarrier.inval
    Lanes waiting{}, arrived{};
    Lanes waited_before{}, arrived_before{};  // it changed
  };

  void change(Barrier& barrier, const exec::WarpOrdering& ordering, uint32_t lanes, bool begins);
  void stop_waiting(uint32_t warp, uint32_t lanes);

  std::unordered_map<uint64_t, Barrier> barriers_;  // by place
};

}  // namespace cuvette::watch
