// SPDX-License-Identifier: Apache-2.0
// LoopView: a loop of a body as one looks at it to know what its turns do: its instructions, where
// its registers are written, and which of them go from turn to turn.
//
// Threads: plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Memory that only the thread itself writes, or that is never written.
bool is_private(const Instruction& i);

// The facts that all loops of a body share.
struct Surroundings {
  Surroundings(const Body& body, const Flow& flow);

  const Body& body;
  const Flow& flow;
  std::vector<std::vector<uint32_t>> definitions, uses;  // of a register: instructions
  std::vector<std::vector<uint32_t>> read, written;      // of an instruction: registers
  std::vector<BlockId> block_of;                         // of an instruction
};

// Of a loop in its surroundings, which must both outlive it.
class LoopView {
 protected:
  LoopView(const Surroundings& around, const Loop& loop);

  template <typename F>
  void each(const F& f) const {
    for (BlockId b = loop_.first; b <= loop_.last; ++b)
      for (uint32_t n = flow_.blocks[b].first; n < flow_.blocks[b].end; ++n)
        f(n, body_.instructions[n]);
  }
  template <typename F>
  bool any_read(uint32_t n, const F& f) const {
    return std::ranges::any_of(around_.read[n], f);
  }
  bool inside(uint32_t n) const { return loop_.contains(around_.block_of[n]); }
  template <typename F>
  bool any_definition(uint32_t r, const F& f) const {
    return std::ranges::any_of(around_.definitions[r], [&](uint32_t n) {
      return inside(n) && f(n, body_.instructions[n]);
    });
  }
  bool is_written(uint32_t r) const;
  // Whether a definition of `r` may be passed by, so that what decides that decides `r`.
  bool is_conditional(uint32_t r) const;
  // Whether a turn is possible that comes through none of `blocks`.
  bool can_avoid(const BitSet& blocks) const;
  // Calls `f` with the definitions of `r` in the block of instruction `before` that may have made
  // what it finds there. Returns true if nothing else may have.
  template <typename F>
  bool made_in_block(uint32_t r, uint32_t before, const F& f) const {
    const std::vector<uint32_t>& all = around_.definitions[r];
    const uint32_t first = flow_.blocks[around_.block_of[before]].first;
    for (auto n = std::ranges::lower_bound(all, before); n != all.begin() && *--n >= first;) {
      f(*n);
      if (!body_.instructions[*n].predicate) return true;
    }
    return false;
  }
  bool depends_on_itself(uint32_t r) const;
  bool is_constant(const Operand& operand) const;
  // Whether it accesses the thread's own memory, also where a generic address is made of a local
  // one, as in code for debuggers.
  bool is_own(const Instruction& i) const;
  static bool same_place(const Operand& a, const Operand& b);

  const Body& body_;
  const Flow& flow_;
  const Surroundings& around_;
  const Loop& loop_;
  BitSet carried_;  // registers, from turn to turn
};

}  // namespace cuvette::ptx
