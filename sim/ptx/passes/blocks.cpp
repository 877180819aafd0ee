// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/blocks.hpp"

namespace cuvette::ptx {
namespace {

// An instruction's results come first.
bool has_result(const Instruction& instruction) {
  if (instruction.is(Trait::barrier)) return instruction.has(dot::red);
  switch (instruction.opcode) {
    case Opcode::call:  // without results the function comes first
      return !instruction.operands.empty() && instruction.operands[0].kind == Operand::Kind::vector;
    case Opcode::wmma:
      return !instruction.has(dot::store);
    case Opcode::mbarrier:
      return instruction.has_any({dot::test_wait, dot::try_wait, dot::pending_count}) ||
             (instruction.has_any({dot::arrive, dot::arrive_drop}) &&
              !instruction.operands.empty() &&
              instruction.operands[0].kind != Operand::Kind::address);
    default:
      return row_of(instruction.opcode).writes_first();
  }
}

void registers_of(const Operand& operand, std::vector<uint32_t>& registers) {
  if (operand.kind == Operand::Kind::reg ||
      (operand.kind == Operand::Kind::address && operand.has_base && !operand.base_is_symbol))
    registers.push_back(operand.index);
  for (const Operand& element : operand.elements) registers_of(element, registers);
}

// Counts the operands that are results: for a call, those in the first parentheses, if any.
size_t results_of(const Instruction& instruction) {
  if (!has_result(instruction) || instruction.operands.empty()) return 0;
  if (instruction.opcode == Opcode::call)
    return instruction.operands[0].kind == Operand::Kind::vector ? 1 : 0;
  return 1;
}

}  // namespace

void Flow::written(const Instruction& instruction, std::vector<uint32_t>& registers) {
  const size_t results = results_of(instruction);
  for (size_t i = 0; i < results; ++i) registers_of(instruction.operands[i], registers);
}

void Flow::read(const Instruction& instruction, std::vector<uint32_t>& registers) {
  for (size_t i = results_of(instruction); i < instruction.operands.size(); ++i)
    registers_of(instruction.operands[i], registers);
  if (!instruction.predicate) return;
  registers.push_back(*instruction.predicate);
  written(instruction, registers);
}

}  // namespace cuvette::ptx
