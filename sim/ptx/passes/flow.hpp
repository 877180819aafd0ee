// SPDX-License-Identifier: Apache-2.0
// A body's control flow: basic blocks in the order in which a warp walks through them, loops,
// post-dominators, and which registers are live where.
//
// Order: topological if back edges are left out, and the blocks of a loop stand together, so that
// everything between a branch and where its lanes meet again lies between the two, or up to the end
// of the loop around them. Blocks that nothing reaches are gone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

using BlockId = uint32_t;
constexpr BlockId exit_block = UINT32_MAX;  // the end of the function, not a block

// A set of small numbers. It costs what is in it, not what could be: a large kernel has tens of
// thousands of registers and blocks, and few registers are live in any one of them.
class BitSet {
 public:
  bool contains(size_t i) const {
    const auto found = std::ranges::lower_bound(words_, i / 64, {}, &Word::place);
    return found != words_.end() && found->place == i / 64 && (found->bits >> (i % 64) & 1);
  }
  void insert(size_t i) { word_of(i).bits |= uint64_t{1} << (i % 64); }
  void erase(size_t i) {
    const auto found = std::ranges::lower_bound(words_, i / 64, {}, &Word::place);
    if (found != words_.end() && found->place == i / 64) found->bits &= ~(uint64_t{1} << (i % 64));
  }
  void insert_all(const BitSet& other) {
    if (words_.empty()) {
      words_ = other.words_;
      return;
    }
    size_t at = 0;
    for (const Word& word : other.words_) {
      while (at < words_.size() && words_[at].place < word.place) ++at;
      if (at == words_.size() || words_[at].place != word.place) return merge(other);
      words_[at].bits |= word.bits;
    }
  }
  // In order.
  template <typename F>
  void each(const F& f) const {
    for (const Word& word : words_)
      for (uint64_t bits = word.bits; bits; bits &= bits - 1)
        f(static_cast<uint32_t>(64 * word.place + static_cast<size_t>(__builtin_ctzll(bits))));
  }

 private:
  struct Word {
    uint32_t place;
    uint64_t bits;
  };

  Word& word_of(size_t i) {
    const auto place = static_cast<uint32_t>(i / 64);
    if (words_.empty() || words_.back().place < place) return words_.emplace_back(Word{place, 0});
    const auto found = std::ranges::lower_bound(words_, place, {}, &Word::place);
    return found->place == place ? *found : *words_.insert(found, Word{place, 0});
  }
  void merge(const BitSet& other) {
    std::vector<Word> both;
    both.reserve(words_.size() + other.words_.size());
    size_t a = 0, b = 0;
    while (a < words_.size() || b < other.words_.size()) {
      const uint64_t mine = a < words_.size() ? words_[a].place : UINT64_MAX;
      const uint64_t its = b < other.words_.size() ? other.words_[b].place : UINT64_MAX;
      Word& word = both.emplace_back(Word{static_cast<uint32_t>(std::min(mine, its)), 0});
      if (mine <= its) word.bits |= words_[a++].bits;
      if (its <= mine) word.bits |= other.words_[b++].bits;
    }
    words_ = std::move(both);
  }

  std::vector<Word> words_;  // by place
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

constexpr uint32_t no_loop = UINT32_MAX;
// Loops inside each other: more are none that anybody wrote.
constexpr uint32_t most_nested_loops = 500;

struct Loop {
  BlockId first = 0, last = 0;  // the blocks from the header on
  uint32_t outer = no_loop;     // the innermost loop around it
  // Where lanes wait for its next turn: the header, and further blocks where it has several
  // entries.
  std::vector<BlockId> next_turn;
  // Its lanes let others go on now and then: it may wait for what those do, or asks for it.
  bool spins = false;
  bool waits = false;  // of such a one: nothing that it does itself ends it for certain
  // If it spins, blocks of it and of no loop inside that spins, where lanes meet others, which may
  // be late.
  std::vector<BlockId> meetings;
  bool contains(BlockId block) const { return block >= first && block <= last; }
};

struct Flow {
  std::vector<Block> blocks;
  std::vector<Loop> loops;          // outer ones before inner ones
  std::vector<uint32_t> innermost;  // of a block: the loop, or no_loop
  bool irreducible = false;
  bool too_deep = false;  // more than most_nested_loops: there is nothing in here

  // Calls `f` with the loops that `block` is in, inner ones first, until it says false.
  template <typename F>
  void each_loop(BlockId block, const F& f) const {
    for (uint32_t l = innermost[block]; l != no_loop; l = loops[l].outer)
      if (!f(loops[l])) return;
  }

  // The registers that an instruction writes and reads. A predicated one reads what it writes.
  static void written(const Instruction& instruction, std::vector<uint32_t>& registers);
  static void read(const Instruction& instruction, std::vector<uint32_t>& registers);
};

Flow find_flow(const Body& body);

}  // namespace cuvette::ptx
