// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/loop_view.hpp"

namespace cuvette::ptx {

using Kind = Operand::Kind;

bool is_private(const Instruction& i) {
  return i.has_any({dot::local, dot::param, dot::param_entry, dot::param_func, dot::const_});
}

Surroundings::Surroundings(const Body& body, const Flow& flow)
    : body(body),
      flow(flow),
      definitions(body.registers.size()),
      uses(body.registers.size()),
      read(body.instructions.size()),
      written(body.instructions.size()),
      block_of(body.instructions.size()) {
  for (BlockId b = 0; b < flow.blocks.size(); ++b)
    for (uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
      block_of[i] = b;
      Flow::read(body.instructions[i], read[i]);
      Flow::written(body.instructions[i], written[i]);
      for (const uint32_t r : written[i]) definitions[r].push_back(i);
      for (const uint32_t r : read[i]) uses[r].push_back(i);
    }
}

LoopView::LoopView(const Surroundings& around, const Loop& loop)
    : body_(around.body), flow_(around.flow), around_(around), loop_(loop) {
  each([&](uint32_t n, const Instruction&) {
    for (const uint32_t r : around_.written[n])
      for (const BlockId header : loop_.next_turn)
        if (flow_.blocks[header].live_in.contains(r)) carried_.insert(r);
  });
}

bool LoopView::is_written(uint32_t r) const {
  return any_definition(r, [](uint32_t, const Instruction&) { return true; });
}

bool LoopView::is_conditional(uint32_t r) const {
  if (carried_.contains(r)) return true;
  size_t count = 0;
  return any_definition(r, [&](uint32_t, const Instruction&) { return ++count > 1; });
}

bool LoopView::can_avoid(const BitSet& blocks) const {
  if (loop_.next_turn.size() > 1) return true;
  if (blocks.contains(loop_.first)) return false;
  std::vector<BlockId> work{loop_.first};
  BitSet seen;
  while (!work.empty()) {
    const BlockId block = work.back();
    work.pop_back();
    for (const BlockId next : flow_.blocks[block].successors) {
      if (next == loop_.first) return true;
      if (next == exit_block || !loop_.contains(next) || blocks.contains(next) ||
          seen.contains(next))
        continue;
      seen.insert(next);
      work.push_back(next);
    }
  }
  return false;
}

bool LoopView::depends_on_itself(uint32_t r) const {
  BitSet seen;
  std::vector<uint32_t> work{r};
  while (!work.empty()) {
    const uint32_t one = work.back();
    work.pop_back();
    if (any_definition(one, [&](uint32_t n, const Instruction&) {
          return any_read(n, [&](uint32_t from) {
            if (from == r) return true;
            if (!seen.contains(from)) {
              seen.insert(from);
              work.push_back(from);
            }
            return false;
          });
        }))
      return true;
  }
  return false;
}

bool LoopView::is_constant(const Operand& operand) const {
  return operand.kind == Kind::immediate ||
         (operand.kind == Kind::reg && !is_written(operand.index));
}

bool LoopView::is_own(const Instruction& i) const {
  if (i.opcode != Opcode::ld && i.opcode != Opcode::st) return false;
  if (is_private(i)) return true;
  const Operand& place = i.operands[i.opcode == Opcode::st ? 0 : 1];
  if (place.kind != Kind::address || !place.has_base || place.base_is_symbol) return false;
  uint32_t r = place.index;
  for (int depth = 0; depth < 4 && around_.definitions[r].size() == 1; ++depth) {
    const Instruction& by = body_.instructions[around_.definitions[r][0]];
    if (by.opcode == Opcode::cvta) return by.has(dot::local) && !by.has(dot::to);
    if ((by.opcode != Opcode::add && by.opcode != Opcode::mov) || by.operands[1].kind != Kind::reg)
      break;
    r = by.operands[1].index;
  }
  return false;
}

bool LoopView::same_place(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.has_base == b.has_base && a.base_is_symbol == b.base_is_symbol &&
         a.index == b.index && a.bits == b.bits && a.symbol == b.symbol;
}

}  // namespace cuvette::ptx
