// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/meetings.hpp"

#include <vector>

#include "sim/ptx/passes/flow.hpp"

namespace cuvette::ptx {

bool may_wait(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::atom:
      return instruction.has_any({dot::cas, dot::exch});
    case Opcode::ld:
      return instruction.has_any({dot::volatile_, dot::relaxed, dot::acquire, dot::cv, dot::mmio});
    case Opcode::mbarrier:
      return instruction.has_any({dot::try_wait, dot::test_wait});
    default:
      return instruction.opcode == Opcode::nanosleep;
  }
}

Meeting meeting_of(const Instruction& instruction) {
  if (instruction.predicate) return Meeting::none;
  const auto of_members = [&] {
    if (instruction.operands.empty()) return Meeting::none;
    const Operand& members = instruction.operands.back();
    const bool all = members.kind == Operand::Kind::immediate &&
                     static_cast<uint32_t>(members.bits) == UINT32_MAX;
    return all ? Meeting::all : Meeting::members;
  };
  if (instruction.is(Trait::barrier)) {
    if (instruction.has(dot::warp)) return of_members();
    return instruction.has(dot::arrive) ? Meeting::none : Meeting::all;
  }
  if (instruction.is(Trait::meets))
    return instruction.has(dot::sync) ? of_members() : Meeting::none;
  return instruction.is(Trait::meets_all) ? Meeting::all : Meeting::none;
}

void name_members(Body& body) {
  std::vector<const Instruction*> only(body.registers.size());  // that writes it
  std::vector<bool> several(body.registers.size());
  std::vector<uint32_t> written;
  for (const Instruction& instruction : body.instructions) {
    written.clear();
    Flow::written(instruction, written);
    for (const uint32_t r : written) {
      several[r] = several[r] || only[r];
      only[r] = &instruction;
    }
  }
  for (Instruction& instruction : body.instructions) {
    if (meeting_of(instruction) != Meeting::members) continue;
    const Operand* from = &instruction.operands.back();
    // As many copies as calls in each other pass it through; registers may copy each other in turn.
    for (int copies = 0; copies < 16 && from->kind == Operand::Kind::reg; ++copies) {
      const Instruction* const by = several[from->index] ? nullptr : only[from->index];
      if (!by || by->opcode != Opcode::mov || by->predicate || size_of(by->type()) != 4) break;
      from = &by->operands[1];
    }
    if (from->kind == Operand::Kind::immediate) instruction.operands.back() = *from;
  }
}

}  // namespace cuvette::ptx
