// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/check_forms.hpp"

#include "sim/ptx/syntax/check_forms_parts.hpp"

namespace cuvette::ptx::forms {
namespace {

using Kind = Operand::Kind;

bool is_pair(Type type) {
  return type == Type::f16x2 || type == Type::bf16x2 || type == Type::e4m3x2 ||
         type == Type::e5m2x2;
}
bool is_small(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2;
}
// The types that cvt accepts as floating-point and as whole numbers.
bool has_point(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}
bool is_whole(Type type) {
  return kind_of(type) == TypeKind::unsigned_integer || kind_of(type) == TypeKind::signed_integer;
}

std::string check_cvt_pack(const Instruction& i) {
  const bool bytes = i.types.size() == 3;
  if (i.types.size() < 2 || i.types[1] != Type::s32 || !i.has(dot::sat) ||
      !is_integer(i.types[0]) || size_of(i.types[0]) != (bytes ? 1 : 2) ||
      i.operands.size() != i.types.size() + 1)
    return "there is no such form of cvt.pack";
  return {};
}

// Measured with ptxas. Between bf16 and 8 bits it wants a register of 8 bits.
std::string check_cvt(const Instruction& i, const Body& body) {
  const auto in_byte = [&](const Operand& operand) {
    return operand.kind == Kind::reg && size_of(body.registers[operand.index].type) == 1;
  };
  if (i.has(dot::pack)) return check_cvt_pack(i);
  if (i.types.size() != 2) return "two types are required";
  if (i.has(dot::rs)) return "random rounding is not implemented";
  const Type to = i.types[0], from = i.types[1];
  if (is_pair(to) || is_pair(from)) {
    const bool joins = from == Type::f32 && is_pair(to);
    if (!joins && !(is_pair(to) && is_pair(from))) return "there is no such conversion";
    return i.operands.size() == (joins ? 3 : 2) ? "" : "the number of operands is wrong";
  }
  if (i.operands.size() != 2) return "the number of operands is wrong";
  const bool to_nearby = i.has_any({dot::rn, dot::rz, dot::rm, dot::rp, dot::rna});
  const bool to_whole = i.has_any({dot::rni, dot::rzi, dot::rmi, dot::rpi});
  if (count_of(i, {dot::rn, dot::rz, dot::rm, dot::rp, dot::rna, dot::rni, dot::rzi, dot::rmi,
                   dot::rpi}) > 1)
    return "it names two rounding modes";
  if (is_whole(to) && is_whole(from)) {
    if (to_nearby || to_whole) return "whole numbers are not rounded";
  } else if (is_whole(to) && has_point(from)) {
    if (!to_whole) return "a rounding mode is missing: .rni, .rzi, .rmi or .rpi";
    if (from == Type::bf16 && size_of(to) == 1 && !in_byte(i.operands[0])) return wrong_operands;
  } else if (has_point(to) && is_whole(from)) {
    if (!to_nearby) return "a rounding mode is missing: .rn, .rz, .rm or .rp";
    if (to == Type::bf16 && size_of(from) == 1 && !in_byte(i.operands[1])) return wrong_operands;
  } else if (has_point(to) && has_point(from)) {
    if (size_of(to) < size_of(from) && !to_nearby)
      return "a rounding mode is missing: .rn, .rz, .rm or .rp";
    if (size_of(to) > size_of(from) && (to_whole || (to_nearby && from != Type::bf16)))
      return "nothing is rounded here";
    if (to == from && to_nearby) return "nothing is rounded here";
  }
  return {};
}

std::string check_small(const Instruction& i) {
  if (i.types.size() > 1) return "operands of different widths are not implemented";
  if (is_small(i.type()) && i.has_any({dot::oob, dot::rz, dot::rm, dot::rp}))
    return "this is not implemented for numbers of 16 bits";
  return {};
}

std::string check_comparison(const Instruction& i) {
  const Type type = i.type();
  const bool floating = is_floating(type), sets = i.opcode == Opcode::set;
  const size_t common = count_of(i, {dot::eq, dot::ne, dot::lt, dot::le, dot::gt, dot::ge});
  const size_t whole = count_of(i, {dot::lo, dot::ls, dot::hi, dot::hs});
  const size_t unordered =
      count_of(i, {dot::equ, dot::neu, dot::ltu, dot::leu, dot::gtu, dot::geu, dot::num, dot::nan});
  if (common + whole + unordered != 1 || (floating ? whole : unordered) > 0)
    return "it does not say how to compare numbers of this type";
  const size_t combinations = count_of(i, {dot::and_, dot::or_, dot::xor_});
  if (combinations > 1 || (combinations == 1) != (i.operands.size() == 4))
    return "a predicate is taken with .and, .or or .xor, and only then";
  if (sets && i.types.size() != 2) return "two types are required";
  if (sets) return {};
  const bool both = size_of(type) == 4 && is_small(type);
  if (is_small(type) && both != is_list(i.operands[0]))
    return "a predicate for each number is required";
  return {};
}

std::string check_lop3(const Instruction& i) {
  const size_t combines = count_of(i, {dot::and_, dot::or_});
  const bool pair = is_list(i.operands[0]);
  if (combines > 1 || (combines == 1) != pair || pair != (i.operands.size() == 6))
    return "a second result is written with .and or .or, and only then";
  return {};
}

}  // namespace
}  // namespace cuvette::ptx::forms

namespace cuvette::ptx {

std::string check_form(const Instruction& i, const Body& body) {
  using namespace forms;
  const Operands operands(i, body);
  const Opcode op = i.opcode;
  if (op == Opcode::cvt) return check_cvt(i, body);
  if (op == Opcode::set || op == Opcode::setp) return check_comparison(i);
  if (op == Opcode::lop3) return check_lop3(i);
  if (op == Opcode::dp4a || op == Opcode::dp2a)
    return i.types.size() == 2 ? "" : "two types are required";
  if (op == Opcode::ld || op == Opcode::ldu || op == Opcode::st) return check_access(i);
  if (op == Opcode::atom || op == Opcode::red) return check_atomic(i);
  if (op == Opcode::cp) return check_copy(i, operands);
  if (op == Opcode::mbarrier) return check_mbarrier(i, operands);
  if (op == Opcode::bar || op == Opcode::barrier) return check_barrier(i, operands);
  if (op == Opcode::vote) return check_vote(i, operands);
  if (op == Opcode::mma || (op == Opcode::wmma && i.has(dot::mma))) return check_product(i);
  if (op == Opcode::wmma) return check_fragment(i, operands);
  if (op == Opcode::ldmatrix || op == Opcode::stmatrix) return check_rows(i, operands);
  if (op == Opcode::movmatrix) return i.type() == Type::b16 ? "" : "its elements have 16 bits";
  if (op == Opcode::tex || op == Opcode::tld4) return check_texture(i, operands);
  if (op == Opcode::suld || op == Opcode::sust || op == Opcode::sured) return check_surface(i);
  if (op == Opcode::txq || op == Opcode::suq) return check_query(i);
  if (op == Opcode::redux) return is_floating(i.type()) ? "this is for newer devices" : "";
  if (op == Opcode::add || op == Opcode::sub || op == Opcode::mul || op == Opcode::fma ||
      op == Opcode::min || op == Opcode::max)
    return check_small(i);
  if (is(op, Trait::video)) return check_video(i);
  return {};
}

}  // namespace cuvette::ptx
