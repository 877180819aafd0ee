// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/body_builder.hpp"

#include <utility>

namespace cuvette::ptx {
namespace {

Operand operand_of(Operand::Kind kind) {
  Operand operand;
  operand.kind = kind;
  return operand;
}

}  // namespace

Operand register_operand(uint32_t index) {
  Operand operand = operand_of(Operand::Kind::reg);
  operand.index = index;
  return operand;
}

Operand label_operand(uint32_t index) {
  Operand operand = operand_of(Operand::Kind::label);
  operand.index = index;
  return operand;
}

Operand number_operand(uint64_t value) {
  Operand operand = operand_of(Operand::Kind::immediate);
  operand.bits = value;
  return operand;
}

Operand symbol_operand(std::string_view name) {
  Operand operand = operand_of(Operand::Kind::symbol);
  operand.symbol = name;
  return operand;
}

Operand memory_operand(uint32_t base, uint64_t offset) {
  Operand operand = operand_of(Operand::Kind::address);
  operand.has_base = true;
  operand.index = base;
  operand.bits = offset;
  return operand;
}

Operand place_operand(uint32_t variable) {
  Operand operand = memory_operand(1 + variable, 0);
  operand.base_is_symbol = true;
  return operand;
}

Instruction& BodyBuilder::add(const Instruction& like, Opcode opcode,
                              std::vector<Modifier> modifiers, std::vector<Type> types,
                              std::vector<Operand> operands) {
  Instruction& instruction = body_.instructions.emplace_back();
  instruction.rename(opcode);
  instruction.modifiers = std::move(modifiers);
  instruction.types = std::move(types);
  instruction.operands = std::move(operands);
  instruction.line = like.line;
  instruction.source_file = like.source_file;
  instruction.source_line = like.source_line;
  return instruction;
}

void BodyBuilder::skip_unless(const Instruction& guarded, uint32_t label) {
  if (!guarded.predicate) return;
  Instruction& branch = add(guarded, Opcode::bra, {}, {}, {label_operand(label)});
  branch.predicate = guarded.predicate;
  branch.predicate_negated = !guarded.predicate_negated;
}

uint32_t BodyBuilder::add_register(Type type) {
  body_.registers.push_back({type});
  return static_cast<uint32_t>(body_.registers.size() - 1);
}

uint32_t BodyBuilder::add_label() {
  body_.labels.push_back(0);
  body_.label_names.emplace_back();
  return static_cast<uint32_t>(body_.labels.size() - 1);
}

void BodyBuilder::place_label(uint32_t label) {
  body_.labels[label] = static_cast<uint32_t>(body_.instructions.size());
}

}  // namespace cuvette::ptx
