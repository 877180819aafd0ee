// SPDX-License-Identifier: Apache-2.0
// Tickets: a loop that ends because its own atomic operation counts to a bound waits for nobody.
#include "sim/ptx/passes/loop_reader.hpp"

namespace cuvette::ptx {
namespace {

using Kind = Operand::Kind;

}  // namespace

int LoopReader::direction(uint32_t r, int depth) const {
  if (depth > 8) return 0;
  int found = 0;
  const bool mixed = any_definition(r, [&](uint32_t n, const Instruction& i) {
    if (!waits_.contains(r) && !polled_.contains(r)) return false;
    int one = 0;
    const auto& o = i.operands;
    if (i.opcode == Opcode::atom) {
      one = step_of(n, i);
    } else if (o.size() > 1 && o[1].kind == Kind::reg) {
      if (i.is(Trait::rises) || (i.is(Trait::rises_by_sum) && is_constant(o[2])) ||
          (i.is(Trait::rises_by_product) && is_constant(o[2]) &&
           static_cast<int64_t>(o[2].bits) > 0)) {
        // Only definitions that stem from the operation count.
        if (!waits_.contains(o[1].index)) return false;
        one = direction(o[1].index, depth + 1);
      }
    } else if (i.opcode == Opcode::mov) {
      return false;
    }
    if (one == 0 || (found != 0 && found != one)) return true;
    found = one;
    return false;
  });
  return mixed ? 0 : found;
}

int LoopReader::step_of(uint32_t n, const Instruction& i) const {
  if (i.predicate || is_floating(i.type()) || i.operands.size() < 3) return 0;
  const Operand& by = i.operands[2];
  int step = 0;
  if (i.has(dot::inc)) {
    step = 1;
  } else if (i.has(dot::dec)) {
    step = -1;
  } else if (i.has(dot::add) && by.kind == Kind::immediate && by.bits != 0) {
    const int64_t value =
        size_of(i.type()) == 4 ? static_cast<int32_t>(by.bits) : static_cast<int64_t>(by.bits);
    step = value > 0 ? 1 : -1;
  }
  if (step == 0) return 0;
  // No other atomic operation in the loop may take it back.
  bool alone = true;
  each([&](uint32_t other, const Instruction& one) {
    if (other == n || (one.opcode != Opcode::atom && one.opcode != Opcode::red) ||
        one.operands.empty())
      return;
    const Operand& place = one.operands[one.opcode == Opcode::atom ? 1 : 0];
    if (same_place(place, i.operands[1])) alone = false;
  });
  return alone ? step : 0;
}

bool LoopReader::ends_as_it_rises(const Instruction& i) const {
  if (i.operands.size() < 3 || i.operands[0].kind != Kind::reg) return false;
  int side = 0;  // 1: holds for greater numbers, -1: for smaller ones
  if (i.has_any({dot::gt, dot::ge, dot::hi, dot::hs})) side = 1;
  if (i.has_any({dot::lt, dot::le, dot::lo, dot::ls})) side = -1;
  if (side == 0) return false;
  const auto towards = [&](const Operand& number, const Operand& bound) {
    return number.kind == Kind::reg && is_constant(bound) ? direction(number.index) : 0;
  };
  int way = side * towards(i.operands[1], i.operands[2]);
  if (way == 0) way = -side * towards(i.operands[2], i.operands[1]);
  if (way == 0) return false;
  // As the number moves on, the predicate becomes true or false for good: every branch on it must
  // then leave the loop.
  bool used = false, right = true;
  const uint32_t p = i.operands[0].index;
  each([&](uint32_t n, const Instruction& by) {
    if (by.predicate != p && !any_read(n, [&](uint32_t r) { return r == p; })) return;
    if (&by == &i) return;
    const Block& block = flow_.blocks[around_.block_of[n]];
    if (by.opcode != Opcode::bra || by.predicate != p || block.successors.size() != 2) {
      right = false;
      return;
    }
    used = true;
    const bool leaves_if = (way > 0) != by.predicate_negated;
    const BlockId to = block.successors[leaves_if ? 0 : 1];
    if (to != exit_block && loop_.contains(to)) right = false;
  });
  return used && right;
}

}  // namespace cuvette::ptx
