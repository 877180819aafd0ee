// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/waits.hpp"

#include <algorithm>

#include "sim/ptx/passes/loop_reader.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {

bool asks(const Instruction& i) {
  if (i.opcode == Opcode::mbarrier) return i.has_any({dot::test_wait, dot::try_wait});
  return i.is(Trait::asks) && !is_private(i);
}

bool LoopReader::waits() {
  each([&](uint32_t n, const Instruction& i) {
    const bool own = is_own(i);
    if (own && i.opcode == Opcode::ld) own_loads_ = true;
    if (own && i.opcode == Opcode::st) own_stores_.push_back(n);
    if (i.opcode == Opcode::call) calls_.push_back(n);
    if (asks(i) && !own) asking_.push_back(n);
  });
  if (asking_.empty()) return false;
  find_polls();
  if (polls_.empty() && owns_.empty()) return false;
  if (!find_controllers()) return true;
  // As a rule no polled value decides anything.
  find_what_waits();
  if (!a_way_out_waits()) return false;
  find_influence();
  moving_.clear();  // influenced_ adds values that may be zero
  find_what_moves_on();
  waits_ = BitSet();
  block_waits_ = BitSet();
  find_what_waits();
  return a_way_out_waits();
}

bool LoopReader::a_way_out_waits() const {
  for (BlockId b = loop_.first; b <= loop_.last; ++b) {
    const Block& block = flow_.blocks[b];
    const bool leaves = std::ranges::any_of(
        block.successors, [&](BlockId to) { return to == exit_block || !loop_.contains(to); });
    if (leaves && block.successors.size() > 1 && (branch_waits(b) || block_waits_.contains(b)))
      return true;
  }
  return false;
}

bool LoopReader::find_controllers() {
  size_t left = 1'000'000;
  controllers_.resize(loop_.last - loop_.first + 1);
  for (BlockId b = loop_.first; b <= loop_.last; ++b) {
    const Block& block = flow_.blocks[b];
    if (block.successors.size() < 2) continue;
    for (BlockId to : block.successors)
      for (; to != exit_block && to != block.post_dominator && loop_.contains(to);
           to = flow_.blocks[to].post_dominator) {
        std::vector<BlockId>& controllers = controllers_[to - loop_.first];
        if (!controllers.empty() && controllers.back() == b) break;
        if (left-- == 0) return false;
        controllers.push_back(b);
      }
  }
  return true;
}

void find_waits(const Body& body, Flow& flow) {
  if (flow.loops.empty()) return;
  const Surroundings around(body, flow);
  for (Loop& loop : flow.loops) {
    bool strong = false, asking = false;
    for (BlockId b = loop.first; b <= loop.last; ++b)
      for (uint32_t n = flow.blocks[b].first; n < flow.blocks[b].end; ++n) {
        strong |= may_wait(body.instructions[n]);
        asking |= asks(body.instructions[n]);
      }
    loop.waits = asking && LoopReader(around, loop).waits();
    loop.spins = strong || loop.waits;
  }
  // A loop around one that spins or waits does so, too. Inner loops come after outer ones.
  for (size_t l = flow.loops.size(); l-- > 0;) {
    const Loop& inner = flow.loops[l];
    if (inner.outer == no_loop) continue;
    flow.loops[inner.outer].spins |= inner.spins;
    flow.loops[inner.outer].waits |= inner.waits;
  }
}

}  // namespace cuvette::ptx
