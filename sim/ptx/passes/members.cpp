// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/members.hpp"

#include <cstdint>
#include <vector>

#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/passes/meetings.hpp"

namespace cuvette::ptx {

void name_members(Body& body) {
  std::vector<const Instruction*> only(body.registers.size());  // the only one that writes it
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
