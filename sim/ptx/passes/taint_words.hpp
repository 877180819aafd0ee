// SPDX-License-Identifier: Apache-2.0
// TaintWords: adds instructions that compute with the taint of registers (taint_bytes in abi.hpp).
//
// A taint is a register of 32 bits, or 0. It has bytes if it has a number of a read.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ptx/syntax/body_builder.hpp"

namespace cuvette::ptx {

class TaintWords : protected BodyBuilder {
 protected:
  explicit TaintWords(Body& body) : BodyBuilder(body) {}

  // Adds an instruction for that at hand, under its predicate.
  Instruction& add_like(Opcode opcode, std::vector<Type> types, std::vector<Operand> operands);
  Operand fresh(Type type = Type::b32) { return register_operand(add_register(type)); }
  static Operand number(uint32_t value) { return number_operand(value); }
  // A mask of the lowest bytes.
  static uint32_t low(uint32_t bytes) { return (1u << bytes) - 1; }

  Operand larger(const Operand& a, const Operand& b) {
    return compute(Opcode::max, a, b, Type::u32);
  }
  Operand select(const Operand& a, const Operand& b, const Operand& which);
  // `taint`, or 0 if `bits` are.
  Operand unless_zero(const Operand& bits, const Operand& taint) {
    return select(taint, number(0), any_of(bits));
  }
  // The taint of what is computed from a value with this taint.
  Operand computed(const Operand& taint);
  // The same for two numbers in a register. One of them may be padding, so what is computed counts
  // as moved. `bytes`: of each.
  Operand computed_in_halves(const Operand& taint, uint32_t bytes);
  // The taint of two values together.
  Operand joined(const Operand& a, const Operand& b);
  // Keeps the bytes in `mask` after the first `down`, and moves them up; nothing is left if none
  // of them is tainted.
  Operand bytes_of(const Operand& taint, uint32_t mask, uint32_t down = 0, uint32_t up = 0);

  const Instruction* like_ = nullptr;  // the instruction at hand

 private:
  Operand compute(Opcode opcode, const Operand& a, const Operand& b, Type type = Type::b32);
  Operand any_of(const Operand& bytes);  // a predicate
};

}  // namespace cuvette::ptx
