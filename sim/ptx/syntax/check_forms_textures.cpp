// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/check_forms_parts.hpp"

namespace cuvette::ptx::forms {
namespace {

using Kind = Operand::Kind;

size_t vector_length(const Instruction& i) { return i.has(dot::v4) ? 4 : i.has(dot::v2) ? 2 : 1; }

std::string check_place(const Instruction& i, const Operand& place) {
  const size_t coordinates = i.has_any({dot::d1})                        ? 1
                             : i.has_any({dot::d2, dot::a1d})            ? 2
                             : i.has_any({dot::d3, dot::a2d, dot::cube}) ? 3
                             : i.has(dot::acube)                         ? 4
                                                                         : 0;
  if (coordinates == 0) return "it does not say how many dimensions there are";
  if (place.kind != Kind::address || !place.has_base || place.bits != 0)
    return "a texture or surface is missing";
  if (place.elements.empty()) return "coordinates are missing";
  if (place.elements.size() > 1) return "samplers of their own are not implemented";
  if (length_of(place.elements[0]) < coordinates) return "a coordinate is missing";
  return {};
}

}  // namespace

std::string check_texture(const Instruction& i, const Operands& operands) {
  if (i.types.size() != 2 || !is_list(i.operands[0])) return "there is no such form of it";
  const Type result = i.types[0], coordinate = i.types[1];
  const bool halves = result == Type::f16x2;
  if ((coordinate != Type::f32 && coordinate != Type::s32) ||
      (!halves && result != Type::f32 && result != Type::u32 && result != Type::s32) ||
      vector_length(i) != (halves ? 2u : 4u) || length_of(i.operands[0]) != vector_length(i))
    return "there is no such form of it";
  if (i.opcode == Opcode::tld4 && count_of(i, {dot::r, dot::g, dot::b, dot::a}) != 1)
    return "it does not say which component";
  if (std::string wrong = check_place(i, i.operands[1]); !wrong.empty()) return wrong;
  const size_t next = 2 + (i.has(dot::level) ? 1 : i.has(dot::grad) ? 2 : 0);
  if (i.operands.size() < next) return "an operand is missing";
  if (i.operands.size() > next + 1) return "comparing depths is not implemented";
  const auto are_words = [&](const Operand& list) {
    const auto one = [&](const Operand& operand) {
      return operand.kind == Kind::immediate || operands.reads(operand, 4);
    };
    return is_list(list) ? std::all_of(list.elements.begin(), list.elements.end(), one) : one(list);
  };
  if (!operands.is_list(0, 4, true) || !are_words(i.operands[1].elements[0])) return wrong_operands;
  for (size_t n = 2; n < i.operands.size(); ++n)
    if (!are_words(i.operands[n])) return wrong_operands;
  return {};
}

std::string check_surface(const Instruction& i) {
  const bool loads = i.opcode == Opcode::suld, reduces = i.opcode == Opcode::sured;
  if (i.types.size() != 1 || i.has(dot::b) == i.has(dot::p)) return "there is no such form of it";
  const Type type = i.types[0];
  const size_t bytes = size_of(type), count = vector_length(i);
  if (reduces) {
    const bool bitwise = i.has_any({dot::and_, dot::or_});
    if (count_of(i, {dot::add, dot::min, dot::max, dot::and_, dot::or_}) != 1 || bytes < 4 ||
        (bitwise ? type != Type::b32 : kind_of(type) == TypeKind::bits))
      return "there is no such form of it";
  } else if (kind_of(type) != TypeKind::bits || bytes * count > 16 ||
             (i.has(dot::p) && type != Type::b32)) {
    return "there is no such form of it";
  }
  if (length_of(i.operands[loads ? 0 : 1]) < count) return "an operand is missing";
  return check_place(i, i.operands[loads ? 1 : 0]);
}

std::string check_query(const Instruction& i) {
  if (i.has(dot::level) && i.operands.size() < 3) return "an operand is missing";
  const size_t asked = i.modifiers.size() - i.has(dot::level);
  return asked == 1 ? "" : "it does not say what it queries";
}

}  // namespace cuvette::ptx::forms
