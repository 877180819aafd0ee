// SPDX-License-Identifier: Apache-2.0
// Adds operands, instructions, registers and labels to a body that are not in the PTX text.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

Operand register_operand(uint32_t index);
Operand label_operand(uint32_t index);
Operand number_operand(uint64_t value);
// Returns an operand for a name that the module declares, or for a table.
Operand symbol_operand(std::string_view name);
// Returns [base + offset], where the base is a register.
Operand memory_operand(uint32_t base, uint64_t offset);
// Returns [variable], the beginning of a variable of the body.
Operand place_operand(uint32_t variable);

// How many neighbours an instruction loads or stores.
inline uint32_t elements_of(const Instruction& instruction) {
  if (instruction.has(dot::v2)) return 2;
  return instruction.has(dot::v4) ? 4 : instruction.has(dot::v8) ? 8 : 1;
}

class BodyBuilder {
 public:
  explicit BodyBuilder(Body& body) : body_(body) {}

  // Appends an unpredicated instruction at the PTX and source lines of `like`.
  Instruction& add(const Instruction& like, Opcode opcode, std::vector<Modifier> modifiers = {},
                   std::vector<Type> types = {}, std::vector<Operand> operands = {});
  // Adds a branch to `label` for the lanes where the predicate of `guarded` is false; adds nothing
  // if `guarded` has no predicate.
  void skip_unless(const Instruction& guarded, uint32_t label);

  // Makes the instructions anew: `remake` gets each of them and adds what is to take its place.
  // A label in front of it is then in front of that.
  template <typename Remake>
  void remake_all(const Remake& remake) {
    const std::vector<Instruction> all = std::exchange(body_.instructions, {});
    std::vector<uint32_t> places;
    for (const Instruction& one : all) {
      places.push_back(static_cast<uint32_t>(body_.instructions.size()));
      remake(one);
    }
    places.push_back(static_cast<uint32_t>(body_.instructions.size()));
    for (uint32_t& label : body_.labels) label = places[label];
  }

  uint32_t add_register(Type type);
  uint32_t add_label();
  // Places the label in front of the instruction that is added next.
  void place_label(uint32_t label);

 protected:
  Body& body_;
};

}  // namespace cuvette::ptx
