// SPDX-License-Identifier: Apache-2.0
// Basic blocks and loops of a body, as find_flow() (flow.hpp) finds them and the other passes read
// them.
//
// Threads: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ptx/passes/bit_set.hpp"
#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

using BlockId = uint32_t;
constexpr BlockId exit_block = UINT32_MAX;  // the end of the function, not a block

struct Block {
  uint32_t first = 0, end = 0;  // instructions of the body, the terminator included if it has one
  bool has_terminator = false;  // bra, brx, ret, exit; otherwise it falls into its successor
  Meeting meeting = Meeting::none;  // the lanes that reach its first instruction together
  // Its lanes wait here for all others of the warp that have not come to such a block or ended
  // (meetings.hpp).
  bool gathers = false;
  // A conditional branch lists its target first, then the block that follows; ret and exit lead
  // to exit_block.
  std::vector<BlockId> successors, predecessors;
  BitSet live_in, live_out;
  BlockId post_dominator = exit_block;  // the nearest
};

constexpr uint32_t no_loop = UINT32_MAX;
// The limit for nested loops; no program written by hand comes near it.
constexpr uint32_t most_nested_loops = 500;

struct Loop {
  BlockId first = 0, last = 0;  // the blocks from the header on
  uint32_t outer = no_loop;     // the innermost loop around it
  // Where lanes wait for its next turn: the header, and further blocks where it has several
  // entries.
  std::vector<BlockId> next_turn;
  // Its lanes let others run now and then, because it waits or may wait for something they do.
  bool spins = false;
  bool waits = false;  // spins, and nothing that it does itself is certain to end it
  // If it spins: its blocks, without those of inner loops that spin, where lanes meet others that
  // may be late.
  std::vector<BlockId> meetings;
  bool contains(BlockId block) const { return block >= first && block <= last; }
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<Loop> loops;          // outer ones before inner ones
  std::vector<uint32_t> innermost;  // of a block: the loop, or no_loop
  bool irreducible = false;
  bool gathers = false;  // blocks do
  // Lanes that go by a barrier may come to another one later: they are waited for there.
  bool gathers_far = false;
  bool too_deep = false;  // nested deeper than most_nested_loops: the other members are empty

  // Calls `f` with the loops that contain `block`, inner ones first, until it returns false.
  template <typename F>
  void each_loop(BlockId block, const F& f) const {
    for (uint32_t l = innermost[block]; l != no_loop; l = loops[l].outer)
      if (!f(loops[l])) return;
  }

  // The registers that an instruction writes and reads. A predicated one reads what it writes.
  static void written(const Instruction& instruction, std::vector<uint32_t>& registers);
  static void read(const Instruction& instruction, std::vector<uint32_t>& registers);
};

}  // namespace cuvette::ptx
