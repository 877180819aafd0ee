// SPDX-License-Identifier: Apache-2.0
// The parts of check_forms(), a file for each group of instructions, and what they share. Each part
// returns what is wrong, or nothing.
//
// Threads: plain functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx::forms {

// How many of the modifiers it has.
inline size_t count_of(const Instruction& i, std::initializer_list<Modifier> modifiers) {
  return static_cast<size_t>(
      std::count_if(modifiers.begin(), modifiers.end(), [&](Modifier one) { return i.has(one); }));
}

// Whether it is several registers or sources in braces, and how many.
inline bool is_list(const Operand& operand) { return operand.kind == Operand::Kind::vector; }
inline size_t length_of(const Operand& operand) {
  return is_list(operand) ? operand.elements.size() : 1;
}

// Constraints on operands that opcodes.def leaves open.
class Operands {
  using Kind = Operand::Kind;

 public:
  Operands(const Instruction& instruction, const Body& body)
      : operands_(instruction.operands), body_(body) {}

  size_t count() const { return operands_.size(); }
  bool writes(size_t n, uint32_t bytes) const {
    return n < count() && (operands_[n].kind == Kind::sink || is_register(operands_[n], bytes));
  }
  bool writes_predicate(size_t n) const {
    return n < count() && (operands_[n].kind == Kind::sink || is_predicate(operands_[n]));
  }
  bool reads(size_t n, uint32_t bytes) const { return n < count() && reads(operands_[n], bytes); }
  bool reads(const Operand& operand, uint32_t bytes) const {
    return is_register(operand, bytes) || operand.kind == Kind::special ||
           (operand.kind == Kind::immediate && !operand.floating);
  }
  bool reads_predicate(size_t n) const {
    return n < count() && (is_predicate(operands_[n]) || operands_[n].kind == Kind::immediate);
  }
  bool is_address(size_t n) const { return n < count() && operands_[n].kind == Kind::address; }
  // A register, or several in braces; `sinks`: unwanted ones may be left out.
  bool is_list(size_t n, uint32_t bytes, bool sinks) const {
    const auto one = [&](const Operand& operand) {
      return is_register(operand, bytes) || (sinks && operand.kind == Kind::sink);
    };
    if (n >= count()) return false;
    const Operand& list = operands_[n];
    return list.kind == Kind::vector ? std::all_of(list.elements.begin(), list.elements.end(), one)
                                     : one(list);
  }

 private:
  bool is_register(const Operand& operand, uint32_t bytes) const {
    if (operand.kind != Kind::reg || operand.negated || !operand.part.empty()) return false;
    const Type type = body_.registers[operand.index].type;
    return type != Type::pred && size_of(type) == bytes;
  }
  bool is_predicate(const Operand& operand) const {
    return operand.kind == Kind::reg && body_.registers[operand.index].type == Type::pred;
  }

  const std::vector<Operand>& operands_;
  const Body& body_;
};

constexpr const char* wrong_operands = "these are not the operands that it takes";

// --- check_forms_memory.cpp: memory, asynchronous copies, barriers and votes ---
std::string check_access(const Instruction& i);
std::string check_atomic(const Instruction& i);
std::string check_copy(const Instruction& i, const Operands& operands);
std::string check_mbarrier(const Instruction& i, const Operands& operands);
std::string check_barrier(const Instruction& i, const Operands& operands);
std::string check_vote(const Instruction& i, const Operands& operands);

// --- check_forms_matrices.cpp ---
std::string check_product(const Instruction& i);
std::string check_fragment(const Instruction& i, const Operands& operands);
std::string check_rows(const Instruction& i, const Operands& operands);

// --- check_forms_textures.cpp ---
std::string check_texture(const Instruction& i, const Operands& operands);
std::string check_surface(const Instruction& i);
std::string check_query(const Instruction& i);

// --- check_forms_video.cpp ---
std::string check_video(const Instruction& i);

}  // namespace cuvette::ptx::forms
