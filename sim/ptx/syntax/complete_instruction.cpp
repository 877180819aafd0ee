// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/complete_instruction.hpp"

#include <utility>
#include <vector>

#include "sim/ptx/syntax/body_builder.hpp"
#include "sim/ptx/syntax/check_forms.hpp"
#include "sim/ptx/syntax/check_operands.hpp"

namespace cuvette::ptx {
namespace {

std::string check_and_add(Instruction& instruction, Body& body) {
  std::string wrong = check_operands(instruction, body);
  if (wrong.empty()) wrong = check_form(instruction, body);
  if (wrong.empty()) body.instructions.push_back(std::move(instruction));
  return wrong;
}

// An address that names a variable is in that variable's space, which applies where the instruction
// names none.
std::string name_space(Instruction& instruction, std::optional<Space> named) {
  const Operand* const address = address_of(instruction);
  if (!address) return {};
  if (!named) {
    const bool nowhere = !address->has_base && !instruction.has(dot::local);
    return nowhere ? "only local memory has such addresses" : "";
  }
  const bool shared = instruction.has(dot::shared) || instruction.has(dot::shared_cta) ||
                      instruction.has(dot::shared_cluster);
  const bool param = instruction.has(dot::param) || instruction.has(dot::param_entry) ||
                     instruction.has(dot::param_func);
  const bool global = instruction.has(dot::global), constant = instruction.has(dot::const_),
             local = instruction.has(dot::local);
  const bool says = shared || param || global || constant || local;
  const auto meant = [&](bool said, Modifier space) -> std::string {
    if (!says) instruction.modifiers.push_back(space);
    return said || !says ? "" : "this variable lies in ." + std::string(name_of(space)) + " memory";
  };
  const auto must_be = [](bool said, const char* space) -> std::string {
    return said ? ""
                : "this variable lies in " + std::string(space) +
                      " memory: the instruction must say so";
  };
  switch (*named) {
    case Space::global:
      return meant(global, dot::global);
    case Space::shared:
      return meant(shared, dot::shared);
    case Space::local:
      return meant(local, dot::local);
    case Space::constant:
      return must_be(constant, ".const");
    case Space::param:
      return must_be(param, ".param");
    default:
      return {};
  }
}

// mov.v4: one move per element through temporaries, since all are read before any is written.
std::string add_vector_move(Instruction& instruction, Body& body) {
  const size_t count = instruction.has(dot::v2) ? 2 : 4;
  if (instruction.operands.size() != 2) return "two operands are required";
  for (const Operand& operand : instruction.operands)
    if (operand.kind != Operand::Kind::vector || operand.elements.size() != count)
      return "a vector of " + std::to_string(count) + " elements is missing";
  const std::vector<Operand> to = std::move(instruction.operands[0].elements);
  std::vector<Operand> from = std::move(instruction.operands[1].elements);
  instruction.modifiers.clear();
  BodyBuilder builder(body);
  const auto move = [&](const Operand& target, const Operand& source) {
    Instruction one = instruction;
    one.operands = {target, source};
    return check_and_add(one, body);
  };
  for (Operand& source : from) {
    if (source.kind != Operand::Kind::reg) continue;
    const Operand between = register_operand(builder.add_register(instruction.type()));
    if (std::string wrong = move(between, source); !wrong.empty()) return wrong;
    source = between;
  }
  for (size_t n = 0; n < count; ++n)
    if (std::string wrong = move(to[n], from[n]); !wrong.empty()) return wrong;
  return {};
}

// ld.b128, st.b128: two words of 64 bits, which are one access wherever it matters (is_one_access()
// in emit/whole_vectors.cpp), and a move of 128 bits.
std::string add_wide_access(Instruction& access, Body& body) {
  const bool loads = access.opcode != Opcode::st;
  if (std::string wrong = check_operands(access, body); !wrong.empty()) return wrong;
  if (access.has_any({dot::v2, dot::v4, dot::v8})) return "there are no such vectors";
  Operand& value = access.operands[loads ? 0 : 1];
  if (value.kind != Operand::Kind::reg && !(loads && value.kind == Operand::Kind::sink))
    return "a register of 128 bits is missing";
  BodyBuilder builder(body);
  Operand words;
  words.kind = Operand::Kind::vector;
  for (int n = 0; n < 2; ++n)
    words.elements.push_back(register_operand(builder.add_register(Type::b64)));
  Instruction move = access;
  move.rename(Opcode::mov);
  move.modifiers.clear();
  move.types = {Type::b128};
  move.operands = loads ? std::vector{value, words} : std::vector{words, value};
  const bool wanted = value.kind == Operand::Kind::reg;
  value = std::move(words);
  access.modifiers.push_back(dot::v2);
  access.types.back() = Type::b64;
  Instruction* const parts[] = {loads ? &access : &move, loads ? &move : &access};
  for (Instruction* const part : parts)
    if (part != &move || wanted)
      if (std::string wrong = check_and_add(*part, body); !wrong.empty()) return wrong;
  return {};
}

// {a, b, c, d}|p: p says whether all that was read is in memory, as everything is here.
std::string add_with_residency(Instruction& instruction, Body& body) {
  Operand predicate = std::move(instruction.operands[0].elements[1]);
  Operand texels = std::move(instruction.operands[0].elements[0]);
  instruction.operands[0] = std::move(texels);
  Instruction resident = instruction;
  resident.rename(Opcode::mov);
  resident.modifiers.clear();
  resident.types = {Type::pred};
  resident.operands = {std::move(predicate), number_operand(1)};
  if (std::string wrong = check_and_add(instruction, body); !wrong.empty()) return wrong;
  return check_and_add(resident, body);
}

}  // namespace

const Operand* address_of(const Instruction& instruction) {
  const Opcode op = instruction.opcode;
  const bool loads = op == Opcode::ld || op == Opcode::ldu || op == Opcode::atom;
  if (!loads && op != Opcode::st && op != Opcode::red) return nullptr;
  const size_t place = loads ? 1 : 0;
  if (place >= instruction.operands.size()) return nullptr;
  const Operand& operand = instruction.operands[place];
  return operand.kind == Operand::Kind::address ? &operand : nullptr;
}

std::string complete_instruction(Instruction& instruction, std::optional<Space> named, Body& body) {
  if (std::string wrong = name_space(instruction, named); !wrong.empty()) return wrong;
  const Opcode op = instruction.opcode;
  auto& operands = instruction.operands;
  if (op == Opcode::mov && (instruction.has(dot::v2) || instruction.has(dot::v4)))
    return add_vector_move(instruction, body);
  if ((op == Opcode::tex || op == Opcode::tld4) && !operands.empty() &&
      operands[0].elements.size() == 2 && operands[0].elements[0].kind == Operand::Kind::vector)
    return add_with_residency(instruction, body);
  const bool accesses = op == Opcode::ld || op == Opcode::ldu || op == Opcode::st;
  if (accesses && !instruction.types.empty() && instruction.type() == Type::b128)
    return add_wide_access(instruction, body);
  // A vector of one element is that element.
  if (op == Opcode::ld || op == Opcode::ldu || op == Opcode::st || op == Opcode::mov ||
      op == Opcode::suld || op == Opcode::sust)
    for (Operand& operand : operands) {
      if (operand.kind != Operand::Kind::vector || operand.elements.size() != 1) continue;
      Operand only = std::move(operand.elements[0]);
      operand = std::move(only);
    }
  return check_and_add(instruction, body);
}

}  // namespace cuvette::ptx
