// SPDX-License-Identifier: Apache-2.0
// LoopReader: finds out whether a loop waits for other threads: whether a value that it polls, and
// that only another thread changes, decides when it ends.
//
// Threads: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/ptx/passes/loop_view.hpp"

namespace cuvette::ptx {

// Returns whether executing an instruction again with the same operands may give another result
// because of what other threads have done.
bool asks(const Instruction& i);

class LoopReader : LoopView {
 public:
  LoopReader(const Surroundings& around, const Loop& loop) : LoopView(around, loop) {}

  bool waits();

 private:
  bool a_way_out_waits() const;
  // Finds, for each block of the loop, which blocks' branches decide whether it runs. Returns false
  // if there are too many to look at.
  bool find_controllers();

  // --- What is polled (polls.cpp) ---
  void find_polls();
  // Finds the loop's own stores to the place of a load, which barriers keep in step with the rest
  // of the block.
  bool find_stores(uint32_t load);
  // Whether a load may read the same place in the next iteration. Definitions in its own block are
  // known to reach it; what a register holds at the block's beginning may come from anywhere in the
  // loop.
  bool stays(uint32_t load) const;
  // Returns the blocks of the loop in which `r` surely gets another value than it had at the
  // beginning of the iteration.
  const BitSet& moving_blocks(uint32_t r) const;
  // Whether `i` may write the unchanged value of a register in `kept`.
  bool may_keep(const Instruction& i, const BitSet& kept) const;

  // --- What depends on polled values (influence.cpp) ---
  template <typename F>
  void grow(BitSet& set, const F& holds);
  void find_influence();
  bool polls(uint32_t n) const;
  const std::vector<uint32_t>& sorted_polls() const;
  // Finds registers that advance in each iteration, regardless of memory, and values that are
  // computed from them, alone or with others.
  void find_what_moves_on();
  bool branch_waits(BlockId b) const;
  void find_what_waits();
  bool is_waiting(uint32_t n, const Instruction& i) const;
  // Whether a load of the thread's own memory may find a waiting value; exact addresses are not
  // compared.
  bool own_load_waits(const Instruction& load) const;

  // --- Tickets: a counter that the loop's own atomic operation moves to the loop's end
  // (tickets.cpp) ---
  // Returns 1 or -1 if `r` rises or falls in each iteration because it stems from such an
  // operation, else 0.
  int direction(uint32_t r, int depth = 0) const;
  int step_of(uint32_t n, const Instruction& i) const;
  // Whether `i` is a setp, and its branch leaves the loop when such a number has come far enough.
  bool ends_as_it_rises(const Instruction& i) const;

  std::vector<uint32_t> asking_, owns_, own_stores_, calls_;
  bool own_loads_ = false;
  mutable std::vector<uint32_t> polls_;
  mutable bool sorted_ = false;
  std::vector<std::pair<uint32_t, uint32_t>> stores_;  // a load, and a store of what it finds
  BitSet polled_;                                      // registers that are polled
  BitSet influenced_;                                  // and those computed from them
  BitSet moves_on_;                                    // advance in each iteration
  BitSet waits_;  // may stay the same until another thread acts
  BitSet block_waits_;
  std::vector<std::vector<BlockId>> controllers_;
  // moving_blocks()
  mutable std::map<uint32_t, BitSet> moving_;
};

}  // namespace cuvette::ptx
