// SPDX-License-Identifier: Apache-2.0
// Parses operands of instructions. Arithmetic in an operand, tab[%r3] or %r1+4, becomes separate
// instructions before the one that it belongs to.
#pragma once

#include "sim/ptx/syntax/body_builder.hpp"
#include "sim/ptx/syntax/declarations.hpp"
#include "sim/ptx/syntax/scopes.hpp"

namespace cuvette::ptx {

class OperandParser : protected Declarations {
 protected:
  OperandParser(const Module& module, const Function& function, Body& body, Diagnostic& diagnostic)
      : Declarations(module.text, function.body, function.body_line, diagnostic),
        module_(module),
        function_(function),
        body_(body),
        builder_(body) {}

  // Parses the operands of `instruction`, which is not in the body yet.
  bool read_operand(const Instruction& instruction, Operand& operand, int depth = 0);
  // A predicate in front of an instruction.
  bool read_predicate(const Instruction& instruction, std::optional<uint32_t>& predicate);

  // The variable whose address or value an operand names; null: it names none.
  const Variable* variable_of(const Operand& operand) const;
  bool is_register(std::string_view name) const;

  // Whether instructions compute the operand that was read last.
  bool computed_ = false;
  // The space of the array that the operand before indexes, by an address in a register.
  std::optional<Space> indexed_;
  const Module& module_;
  const Function& function_;
  Body& body_;
  Scopes scopes_;
  BodyBuilder builder_;

 private:
  bool read_one(const Instruction& instruction, Operand& operand, int depth);
  bool read_list(const Instruction& instruction, Operand& operand, int depth);
  bool read_name(const Instruction& instruction, Operand& operand);
  bool read_address(const Instruction& instruction, Operand& operand, int depth);
  // "+4*2", "-8" after a name.
  bool read_offset(uint64_t& offset);
  bool read_index(const Instruction& instruction, const Token& name, Operand& operand);
  bool add_to_register(const Instruction& instruction, Operand& operand);
  // A register that holds the address of an element of what `symbol` names.
  uint32_t element_address(const Instruction& instruction, const Operand& symbol, uint32_t index,
                           uint64_t further, uint32_t size);

  std::optional<Scopes::Name> find_registers(std::string_view name) const;
  bool name_registers(const Instruction& instruction, std::string_view name,
                      Operand& operand) const;
  bool name_symbol(const Token& name, Operand& operand);
};

}  // namespace cuvette::ptx
