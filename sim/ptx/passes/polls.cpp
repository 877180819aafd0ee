// SPDX-License-Identifier: Apache-2.0
// Finds what a loop polls: loads of places that only other threads change.
#include <algorithm>
#include <set>
#include <utility>

#include "sim/ptx/passes/loop_reader.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {
namespace {

using Kind = Operand::Kind;

bool is_barrier(const Instruction& i) {
  return i.is(Trait::barrier) && !i.predicate && !i.has(dot::warp) && !i.has(dot::arrive);
}

bool always_polls(const Instruction& i) { return i.is(Trait::polled) || may_wait(i); }

}  // namespace

void LoopReader::find_polls() {
  BitSet barriers;
  each([&](uint32_t n, const Instruction& i) {
    if (is_barrier(i)) barriers.insert(around_.block_of[n]);
  });
  const bool together = !can_avoid(barriers);  // each iteration passes a barrier
  for (const uint32_t n : asking_) {
    const Instruction& i = body_.instructions[n];
    if (together && i.opcode == Opcode::ld && i.has(dot::shared) && !may_wait(i) && find_stores(n))
      owns_.push_back(n);
    else if (always_polls(i) || stays(n))
      polls_.push_back(n);
  }
  for (const uint32_t n : polls_)
    for (const uint32_t r : around_.written[n]) polled_.insert(r);
}

bool LoopReader::find_stores(uint32_t load) {
  const Operand& place = body_.instructions[load].operands[1];
  bool found = false;
  each([&](uint32_t n, const Instruction& i) {
    if (i.opcode == Opcode::st && i.has(dot::shared) && same_place(i.operands[0], place)) {
      stores_.emplace_back(load, n);
      found = true;
    }
  });
  return found;
}

bool LoopReader::stays(uint32_t load) const {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  std::vector<std::pair<uint32_t, uint32_t>> work;  // a register, and the instruction that reads it
  BitSet looked_up;
  std::vector<uint32_t> moving;
  const auto add_read = [&](uint32_t n) {
    for (const uint32_t r : around_.read[n])
      if (seen.emplace(r, n).second) work.emplace_back(r, n);
  };
  add_read(load);
  while (!work.empty()) {
    const auto [r, before] = work.back();
    work.pop_back();
    if (made_in_block(r, before, add_read) || looked_up.contains(r)) continue;
    looked_up.insert(r);
    if (carried_.contains(r)) moving.push_back(r);
    any_definition(r, [&](uint32_t n, const Instruction&) {
      add_read(n);
      return false;
    });
  }
  if (moving.empty()) return true;
  // Where several move, as the ends of an interval do, each iteration need only move one of them.
  if (moving.size() == 1) return can_avoid(moving_blocks(moving[0]));
  BitSet blocks;
  for (const uint32_t r : moving)
    any_definition(r, [&](uint32_t n, const Instruction&) {
      blocks.insert(around_.block_of[n]);
      return false;
    });
  return can_avoid(blocks);
}

const BitSet& LoopReader::moving_blocks(uint32_t r) const {
  const auto [known, is_new] = moving_.try_emplace(r);
  BitSet& blocks = known->second;
  if (!is_new) return blocks;
  // Registers that may hold that old value.
  BitSet kept;
  kept.insert(r);
  std::vector<uint32_t> work{r};
  while (!work.empty()) {
    const uint32_t one = work.back();
    work.pop_back();
    for (const uint32_t n : around_.uses[one]) {
      if (!inside(n) || !may_keep(body_.instructions[n], kept)) continue;
      for (const uint32_t to : around_.written[n])
        if (!kept.contains(to)) {
          kept.insert(to);
          work.push_back(to);
        }
    }
  }
  any_definition(r, [&](uint32_t n, const Instruction& i) {
    if (!i.predicate && !may_keep(i, kept)) blocks.insert(around_.block_of[n]);
    return false;
  });
  return blocks;
}

bool LoopReader::may_keep(const Instruction& i, const BitSet& kept) const {
  const auto& o = i.operands;
  if (o.size() < 2 || o[0].kind != Kind::reg) return false;
  const auto is_kept = [&](size_t n) {
    return n < o.size() && o[n].kind == Kind::reg && kept.contains(o[n].index);
  };
  const auto may_be_zero = [&](size_t n) {
    if (n >= o.size()) return false;
    if (o[n].kind != Kind::reg) return o[n].kind == Kind::immediate && o[n].bits == 0;
    return !is_floating(i.type()) &&
           (influenced_.contains(o[n].index) || polled_.contains(o[n].index) ||
            any_definition(o[n].index, [](uint32_t, const Instruction& by) {
              return by.is(Trait::often_zero) || by.predicate;
            }));
  };
  if (i.is(Trait::keeps)) return is_kept(1);
  if (i.is(Trait::keeps_one)) return is_kept(1) || is_kept(2);
  if (i.is(Trait::keeps_beside_zero))
    return (is_kept(1) && may_be_zero(2)) || (is_kept(2) && may_be_zero(1));
  return i.is(Trait::keeps_third) && is_kept(3) && (may_be_zero(1) || may_be_zero(2));
}

}  // namespace cuvette::ptx
