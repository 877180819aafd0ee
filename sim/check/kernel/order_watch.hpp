// SPDX-License-Identifier: Apache-2.0
// OrderWatch: what orders the accesses of a launch's threads: barriers, fences, and places in
// memory where one thread releases and another acquires.
//
// Threads: the one that runs the grid.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/check/kernel/thread_order.hpp"
#include "sim/exec/block.hpp"
#include "sim/exec/grid_watch.hpp"

namespace cuvette::watch {

class OrderWatch {
 public:
  // Of one place where threads release and acquire.
  struct Meeting {
    Released narrow, wide;
    Pointer reads;  // that are over once a relaxed write is seen
  };
  using Meetings = std::unordered_map<uint64_t, Meeting>;

  // Its state for a block.
  struct BlockState {
    explicit BlockState(uint32_t threads) : order(threads) {}
    // Forgets the block before.
    void begin(uint32_t block) {
      order.begin(block);
      meetings.clear();
    }

    ThreadOrder order;
    Meetings meetings;  // in shared memory
  };

  // An access that may order others comes next, by the thread of `mark`.
  void accesses(BlockState& own, uint64_t address, bool shared, uint32_t access, const Mark& mark) {
    // A weak write ends what a strong one has released there.
    if (access & ptx::access_strong || !meetings_.empty() || !own.meetings.empty())
      synchronise(own, address, shared, access, mark);
  }
  // Whether anything has been released in that memory, which a weak write there may end.
  bool has_meetings(const BlockState& own, bool shared) const {
    return !(shared ? own.meetings : meetings_).empty();
  }
  void orders(BlockState& own, const ptx::BlockContext& context,
              const exec::WarpOrdering& ordering);
  void arrives(BlockState& own, uint32_t number, uint32_t mask, uint32_t warp) {
    own.order.arrive(number, warp, mask);
  }
  void meet(BlockState& own, const exec::Block& block, uint32_t number, uint32_t warps, bool all);

 private:
  void synchronise(BlockState& own, uint64_t address, bool shared, uint32_t access,
                   const Mark& mark);

  Meetings meetings_;  // in global memory
};

}  // namespace cuvette::watch
