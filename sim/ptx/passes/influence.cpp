// SPDX-License-Identifier: Apache-2.0
// Finds what depends on the values that a loop polls, and what goes on whatever they are.
#include <algorithm>

#include "sim/ptx/passes/loop_reader.hpp"

namespace cuvette::ptx {
namespace {

using Kind = Operand::Kind;

bool is_clock(const Operand& operand) {
  if (operand.kind != Kind::special) return false;
  switch (operand.special) {
    case Special::clock:
    case Special::clock_hi:
    case Special::clock64:
    case Special::globaltimer:
    case Special::globaltimer_lo:
    case Special::globaltimer_hi:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Adds to `set`, until nothing changes, the registers written by instructions for which `holds`
// is true.
template <typename F>
void LoopReader::grow(BitSet& set, const F& holds) {
  for (bool changed = true; changed;) {
    changed = false;
    each([&](uint32_t n, const Instruction& i) {
      const std::vector<uint32_t>& written = around_.written[n];
      if (std::ranges::all_of(written, [&](uint32_t r) { return set.contains(r); })) return;
      if (!holds(n, i)) return;
      for (const uint32_t r : written) set.insert(r);
      changed = true;
    });
  }
}

void LoopReader::find_influence() {
  grow(influenced_, [&](uint32_t n, const Instruction&) {
    return polls(n) || any_read(n, [&](uint32_t r) { return influenced_.contains(r); });
  });
}

bool LoopReader::polls(uint32_t n) const { return std::ranges::binary_search(sorted_polls(), n); }

const std::vector<uint32_t>& LoopReader::sorted_polls() const {
  if (!sorted_) {
    std::ranges::sort(polls_);
    sorted_ = true;
  }
  return polls_;
}

void LoopReader::find_what_moves_on() {
  if (loop_.next_turn.size() == 1)
    carried_.each([&](uint32_t r) {
      if (depends_on_itself(r) && !can_avoid(moving_blocks(r))) moves_on_.insert(r);
    });
  grow(moves_on_, [&](uint32_t n, const Instruction& i) {
    const Opcode op = i.opcode;
    if (op == Opcode::mov && i.operands.size() > 1 && is_clock(i.operands[1])) return true;
    const bool carries =
        i.is(Trait::carries) || (is_floating(i.type()) && op != Opcode::ld && op != Opcode::atom);
    return carries && any_read(n, [&](uint32_t r) { return moves_on_.contains(r); });
  });
}

bool LoopReader::branch_waits(BlockId b) const {
  const Block& block = flow_.blocks[b];
  if (!block.has_terminator) return false;
  return any_read(block.end - 1, [&](uint32_t r) { return waits_.contains(r); });
}

void LoopReader::find_what_waits() {
  for (bool changed = true; changed;) {
    changed = false;
    grow(waits_, [&](uint32_t n, const Instruction& i) { return polls(n) || is_waiting(n, i); });
    for (BlockId b = loop_.first; b <= loop_.last; ++b) {
      if (block_waits_.contains(b)) continue;
      for (const BlockId by : controllers_[b - loop_.first])
        if (by != b && loop_.contains(by) && (branch_waits(by) || block_waits_.contains(by))) {
          block_waits_.insert(b);
          changed = true;
          break;
        }
    }
  }
}

bool LoopReader::is_waiting(uint32_t n, const Instruction& i) const {
  const auto waits = [&](uint32_t r) { return waits_.contains(r); };
  if (i.predicate && waits(*i.predicate)) return true;
  if (block_waits_.contains(around_.block_of[n]) &&
      std::ranges::any_of(around_.written[n], [&](uint32_t r) { return is_conditional(r); }))
    return true;
  for (const auto& [load, store] : stores_)
    if (load == n && (block_waits_.contains(around_.block_of[store]) || any_read(store, waits)))
      return true;
  if (own_loads_ && i.opcode == Opcode::ld && is_own(i) && own_load_waits(i)) return true;
  const bool compares = i.is(Trait::compares);
  if (compares && i.operands.size() > 3 && i.operands[3].kind == Kind::reg &&
      waits(i.operands[3].index))
    return true;
  if (!any_read(n, waits)) return false;
  if (compares && ends_as_it_rises(i)) return false;
  const bool joins = i.is(Trait::joins) || is_floating(i.type());
  return !joins || !any_read(n, [&](uint32_t r) { return moves_on_.contains(r); });
}

bool LoopReader::own_load_waits(const Instruction& load) const {
  const auto waits = [&](uint32_t r) { return waits_.contains(r); };
  const std::string_view name = load.operands[1].symbol;
  return std::ranges::any_of(own_stores_,
                             [&](uint32_t n) {
                               return any_read(n, waits) ||
                                      block_waits_.contains(around_.block_of[n]);
                             }) ||
         std::ranges::any_of(calls_, [&](uint32_t n) {
           return std::ranges::any_of(body_.instructions[n].operands, [&](const Operand& o) {
             return std::ranges::any_of(o.elements,
                                        [&](const Operand& one) { return one.symbol == name; });
           });
         });
}

}  // namespace cuvette::ptx
