// SPDX-License-Identifier: Apache-2.0
// A body's control flow: basic blocks in the order in which a warp walks through them, loops,
// post-dominators, and which registers are live where.
//
// Order: topological if back edges are left out, and the blocks of a loop stand together, so that
// everything between a branch and where its lanes meet again lies between the two, or up to the end
// of the loop around them. Blocks that nothing reaches are gone.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

using BlockId = uint32_t;
constexpr BlockId exit_block = UINT32_MAX;  // the end of the function, not a block

// A set of small numbers.
class BitSet {
 public:
  explicit BitSet(size_t size = 0) : words_((size + 63) / 64) {}
  bool contains(size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void insert(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void erase(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
  // True if that changed anything. `other` may be a set of fewer numbers.
  bool insert_all(const BitSet& other) {
    uint64_t changed = 0;
    for (size_t i = 0; i < other.words_.size(); ++i) {
      changed |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return changed != 0;
  }
  // this = (live - defined) | used; true if that changed anything
  bool flow(const BitSet& live, const BitSet& defined, const BitSet& used) {
    uint64_t changed = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      const uint64_t word = (live.words_[i] & ~defined.words_[i]) | used.words_[i];
      changed |= word ^ words_[i];
      words_[i] = word;
    }
    return changed != 0;
  }
  template <typename F>
  void each(const F& f) const {
    for (size_t i = 0; i < words_.size(); ++i)
      for (uint64_t word = words_[i]; word; word &= word - 1)
        f(static_cast<uint32_t>(64 * i + static_cast<size_t>(__builtin_ctzll(word))));
  }

 private:
  std::vector<uint64_t> words_;
};

struct Block {
  uint32_t first = 0, end = 0;  // instructions of the body, the terminator included if it has one
  bool has_terminator = false;  // bra, brx, ret, exit; otherwise it falls into its successor
  Meeting meeting = Meeting::none;  // who comes to its first instruction together
  // Of a conditional branch the target comes first, then what follows; ret and exit lead to
  // exit_block.
  std::vector<BlockId> successors, predecessors;
  BitSet live_in, live_out;
  BlockId post_dominator = exit_block;  // the nearest
};

struct Loop {
  BlockId first = 0, last = 0;  // the blocks from the header on
  // Where lanes wait for its next turn: the header, and further blocks where it has several
  // entries.
  std::vector<BlockId> next_turn;
  bool spins = false;  // it may wait for what others do
  // If it spins, blocks of it and of no loop inside that spins, where lanes meet others, which may
  // be late.
  std::vector<BlockId> meetings;
  bool contains(BlockId block) const { return block >= first && block <= last; }
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<Loop> loops;  // outer ones before inner ones
  bool irreducible = false;

  // The registers that an instruction writes and reads. A predicated one reads what it writes.
  static void written(const Instruction& instruction, std::vector<uint32_t>& registers);
  static void read(const Instruction& instruction, std::vector<uint32_t>& registers);
};

Flow find_flow(const Body& body);

}  // namespace cuvette::ptx
