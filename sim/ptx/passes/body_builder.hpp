// SPDX-License-Identifier: Apache-2.0
// Writes into a body what no text says: operands, instructions, registers and labels.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

Operand register_operand(uint32_t index);
Operand label_operand(uint32_t index);
Operand number_operand(uint64_t value);
// A name that the module declares, or that of a table.
Operand symbol_operand(std::string_view name);
// [base + offset], the base being a register.
Operand memory_operand(uint32_t base, uint64_t offset);
// The beginning of a variable of the body: [variable].
Operand place_operand(uint32_t variable);

class BodyBuilder {
 public:
  explicit BodyBuilder(Body& body) : body_(body) {}

  // Stands in the same line of the text and of the source as `like`, and is not predicated.
  Instruction& add(const Instruction& like, Opcode opcode, std::vector<Modifier> modifiers = {},
                   std::vector<Type> types = {}, std::vector<Operand> operands = {});
  // A branch to the label of the lanes for which the predicate of `guarded` is false; nothing if it
  // has none.
  void skip_unless(const Instruction& guarded, uint32_t label);

  uint32_t add_register(Type type);
  uint32_t add_label();
  // In front of the instruction that is added next.
  void place_label(uint32_t label);

 protected:
  Body& body_;
};

}  // namespace cuvette::ptx
