// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/taint_words.hpp"

#include <utility>

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint32_t all_computed = taint_computed | taint_bytes;

}  // namespace

Instruction& TaintWords::add_like(Opcode opcode, std::vector<Type> types,
                                  std::vector<Operand> operands) {
  Instruction& added = add(*like_, opcode, {}, std::move(types), std::move(operands));
  added.predicate = like_->predicate;
  added.predicate_negated = like_->predicate_negated;
  return added;
}

Operand TaintWords::compute(Opcode opcode, const Operand& a, const Operand& b, Type type) {
  const Operand result = fresh();
  add_like(opcode, {type}, {result, a, b});
  return result;
}

Operand TaintWords::any_of(const Operand& bytes) {
  const Operand any = fresh(Type::pred);
  add_like(Opcode::setp, {Type::u32}, {any, bytes, number(0)}).modifiers = {dot::ne};
  return any;
}

Operand TaintWords::select(const Operand& a, const Operand& b, const Operand& which) {
  const Operand result = fresh();
  add_like(Opcode::selp, {Type::b32}, {result, a, b, which});
  return result;
}

// The number of a read makes it larger than any of these bits.
Operand TaintWords::computed(const Operand& taint) {
  return compute(Opcode::or_, taint, compute(Opcode::min, taint, number(all_computed), Type::u32));
}

Operand TaintWords::computed_in_halves(const Operand& taint, uint32_t bytes) {
  const auto half = [&](uint32_t mask) {
    return select(number(mask), number(0), any_of(compute(Opcode::and_, taint, number(mask))));
  };
  const Operand both = compute(Opcode::or_, half(low(bytes)), half(low(bytes) << bytes));
  return compute(Opcode::or_, both, compute(Opcode::and_, taint, number(~taint_bytes)));
}

Operand TaintWords::joined(const Operand& a, const Operand& b) {
  const Operand which = compute(Opcode::and_, compute(Opcode::or_, a, b), number(all_computed));
  return compute(Opcode::or_, which, compute(Opcode::and_, larger(a, b), number(~all_computed)));
}

Operand TaintWords::bytes_of(const Operand& taint, uint32_t mask, uint32_t down, uint32_t up) {
  Operand bytes = taint;
  if (down) bytes = compute(Opcode::shr, bytes, number(down), Type::u32);
  bytes = compute(Opcode::and_, bytes, number(mask));
  if (up) bytes = compute(Opcode::shl, bytes, number(up));
  const Operand rest = compute(Opcode::and_, taint, number(~taint_bytes));
  return select(compute(Opcode::or_, bytes, rest), number(0), any_of(bytes));
}

}  // namespace cuvette::ptx
