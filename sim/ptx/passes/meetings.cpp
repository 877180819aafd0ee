// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/meetings.hpp"

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

bool is_barrier_of_block(const Instruction& i) {
  return i.is(Trait::barrier) && !i.predicate && !i.has_any({dot::warp, dot::cluster, dot::arrive});
}

}  // namespace cuvette::ptx
