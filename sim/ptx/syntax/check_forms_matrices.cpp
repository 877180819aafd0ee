// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sim/ptx/syntax/check_forms_parts.hpp"

namespace cuvette::ptx::forms {
namespace {

// Returns how many 32-bit words of a matrix of so many elements a lane holds; an f64 counts as one.
uint32_t registers_of(uint32_t elements, Type type) {
  const uint32_t bits = type == Type::f64                      ? 32
                        : type == Type::b1                     ? 1
                        : type == Type::s4 || type == Type::u4 ? 4
                                                               : 8 * size_of(type);
  return elements * bits / (32 * 32);
}

}  // namespace

std::string check_product(const Instruction& i) {
  const std::optional<Extent> x = extent_of(i);
  if (!x) return "the shape of the matrices is missing";
  const bool wmma = i.opcode == Opcode::wmma;
  if (i.operands.size() != 4) return "four operands are required";
  Type d = Type::f32, a = Type::f16, b = Type::f16, c = Type::f32;
  if (i.types.size() == 4)
    d = i.types[0], a = i.types[1], b = i.types[2], c = i.types[3];
  else if (wmma && i.types.size() == 2)
    d = i.types[0], c = i.types[1];
  else
    return "the number of types is wrong";
  struct Kind {
    std::initializer_list<Type> factors, sums;
    std::initializer_list<Extent> mma, wmma;
  };
  static const Kind kinds[] = {
      {{Type::f16},
       {Type::f16, Type::f32},
       {{8, 8, 4}, {16, 8, 8}, {16, 8, 16}},
       {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
      {{Type::bf16},
       {Type::f32},
       {{16, 8, 8}, {16, 8, 16}},
       {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
      {{Type::tf32}, {Type::f32}, {{16, 8, 4}, {16, 8, 8}}, {{16, 16, 8}}},
      {{Type::e4m3, Type::e5m2}, {Type::f16, Type::f32}, {{16, 8, 16}, {16, 8, 32}}, {}},
      {{Type::f64}, {Type::f64}, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}, {{8, 8, 4}}},
      {{Type::s8, Type::u8},
       {Type::s32},
       {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}},
       {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}}},
      {{Type::s4, Type::u4}, {Type::s32}, {{8, 8, 32}, {16, 8, 32}, {16, 8, 64}}, {{8, 8, 32}}},
      {{Type::b1}, {Type::s32}, {{8, 8, 128}, {16, 8, 128}, {16, 8, 256}}, {{8, 8, 128}}}};
  const auto has = [](const auto& list, const auto& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  const auto known = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& kind) {
    return has(kind.factors, a) && has(kind.factors, b) && has(kind.sums, c) && has(kind.sums, d) &&
           has(wmma ? kind.wmma : kind.mma, *x);
  });
  if (known == std::end(kinds)) return "there is no product of such matrices";
  if ((a == Type::b1) != (count_of(i, {dot::xor_, dot::and_}) == 1))
    return "for bits it must say how they are combined";
  const bool quads = !wmma && *x == Extent{8, 8, 4} && a == Type::f16;
  if (!wmma && !quads && (!i.has(dot::row) || !i.has(dot::col)))
    return "the layouts are .row and .col";
  // Lanes of m8n8k4 hold parts of four products.
  const uint32_t products = quads ? 4 : 1;
  const uint32_t wanted[] = {
      registers_of(products * x->m * x->n, d), registers_of(products * x->m * x->k, a),
      registers_of(products * x->k * x->n, b), registers_of(products * x->m * x->n, c)};
  for (size_t n = 0; n < 4; ++n) {
    const size_t given = length_of(i.operands[n]);
    const bool spare = wmma && n > 0;  // fragments may have copies after the needed part
    if (spare ? given < wanted[n] : given != wanted[n])
      return "operand " + std::to_string(n + 1) +
             " has another number of registers: " + std::to_string(wanted[n]) + " are required";
  }
  return {};
}

std::string check_fragment(const Instruction& i, const Operands& operands) {
  const auto x = extent_of(i);
  const Type type = i.type();
  const bool fours = type == Type::s4 || type == Type::u4, ones = type == Type::b1;
  const char matrix = i.has(dot::a) ? 'a' : i.has(dot::b) ? 'b' : 'c';
  const bool sums =
      type == Type::f32 || type == Type::f64 || type == Type::s32 || type == Type::f16;
  const bool factors = type == Type::f16 || type == Type::bf16 || type == Type::tf32 ||
                       type == Type::f64 || type == Type::s8 || type == Type::u8 || fours || ones;
  if (!x || !(matrix == 'c' ? sums : factors) || count_of(i, {dot::row, dot::col}) != 1)
    return "there is no such fragment";
  if ((fours || ones) && matrix != 'c' && i.has(matrix == 'b' ? dot::row : dot::col))
    return "such matrices have another layout";
  const bool loads = i.has(dot::load);
  const size_t count = operands.count(), list = loads ? 0 : 1;
  if (count_of(i, {dot::load, dot::store}) != 1 || !operands.is_address(1 - list) ||
      !operands.is_list(list, type == Type::f64 ? 8 : 4, loads) || count > 3 ||
      (count == 3 && !operands.reads(2, 4)))
    return wrong_operands;
  const uint32_t elements = matrix == 'a' ? x->m * x->k : matrix == 'b' ? x->k * x->n : x->m * x->n;
  if (length_of(i.operands[list]) < registers_of(elements, type) ||
      registers_of(elements, type) == 0)
    return "these are too few registers";
  return {};
}

std::string check_rows(const Instruction& i, const Operands& operands) {
  const Operand& list = i.operands[i.opcode == Opcode::ldmatrix ? 0 : 1];
  const size_t count = i.has(dot::x4) ? 4 : i.has(dot::x2) ? 2 : 1;
  if (i.type() != Type::b16) return "matrices have elements of 16 bits";
  if (count_of(i, {dot::x1, dot::x2, dot::x4}) != 1 || length_of(list) != count)
    return "the number of matrices differs from the number of registers";
  const bool loads = i.opcode == Opcode::ldmatrix;
  return operands.is_list(loads ? 0 : 1, 4, loads) ? "" : wrong_operands;
}

}  // namespace cuvette::ptx::forms
