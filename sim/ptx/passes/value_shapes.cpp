// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/value_shapes.hpp"

#include <algorithm>

namespace cuvette::ptx {
namespace {

// A stride as a signed number of the register's width.
int64_t wrap(int64_t stride, Type type) {
  switch (size_of(type)) {
    case 8:
      return stride;
    case 4:
      return static_cast<int32_t>(stride);
    case 2:
      return static_cast<int16_t>(stride);
    default:
      return static_cast<int8_t>(stride);
  }
}

Shape add(const Shape& a, const Shape& b, int64_t sign, Type type) {
  if (a.kind == Shape::Kind::none || b.kind == Shape::Kind::none) return {};
  if (a.is_varying() || b.is_varying() || (a.stepped && b.stepped)) return Shape::varying();
  return {Shape::Kind::affine, a.linear && b.linear, a.stepped || b.stepped,
          wrap(a.stride + sign * b.stride, type)};
}

// Multiplies modulo 2^64, as registers do.
int64_t product(int64_t stride, int64_t factor) {
  return static_cast<int64_t>(static_cast<uint64_t>(stride) * static_cast<uint64_t>(factor));
}

// A load from a single address gives one value; from a line of addresses, many.
Shape same_for_all(const Shape& place) {
  if (place.kind == Shape::Kind::none) return {};
  return place.has_no_stride() ? place : Shape::varying();
}

}  // namespace

bool constant_of(const Body& body, const ValueShapes& shapes, const Operand& operand,
                 int64_t& value) {
  if (operand.kind == Operand::Kind::immediate) {
    value = static_cast<int64_t>(operand.bits);
    return !operand.floating;
  }
  if (operand.kind != Operand::Kind::reg || shapes.definitions[operand.index] != 1) return false;
  const Instruction& by = body.instructions[shapes.definition[operand.index]];
  if (by.opcode != Opcode::mov || by.predicate || by.operands[1].kind != Operand::Kind::immediate ||
      by.operands[1].floating)
    return false;
  value = static_cast<int64_t>(by.operands[1].bits);
  if (size_of(by.type()) == 4) value = static_cast<int32_t>(value);
  return true;
}

bool constant_of(const Body& body, const ValueShapes& shapes, const Operand& operand, Type type,
                 int64_t& value) {
  if (!constant_of(body, shapes, operand, value)) return false;
  if (size_of(type) == 4)
    value = is_signed(type) ? static_cast<int32_t>(value) : int64_t{static_cast<uint32_t>(value)};
  return true;
}

Shape join(const Shape& a, const Shape& b) {
  if (a.kind == Shape::Kind::none) return b;
  if (b.kind == Shape::Kind::none) return a;
  if (a.is_varying() || b.is_varying() || a.stride != b.stride) return Shape::varying();
  return {Shape::Kind::affine, a.linear && b.linear, a.stepped || b.stepped, a.stride};
}

Shape ShapeRules::narrowed(const Shape& shape, uint32_t r) const {
  const Type type = body_.registers[r].type;
  if (type == Type::pred) return shape.is_uniform() ? shape : Shape::varying();
  if (size_of(type) < 4 || size_of(type) > 8 || is_floating(type))
    return shape.has_no_stride() && (shape.linear || size_of(type) == 4) ? shape : Shape::varying();
  // No address is that far from its neighbour: such numbers are intermediate products of a
  // division. Nor is a value that only a step makes differ worth a scalar.
  if (shape.is_affine() &&
      (shape.stride != static_cast<int32_t>(shape.stride) || (shape.stride == 0 && shape.stepped)))
    return Shape::varying();
  return shape;
}

Shape ShapeRules::multiply(const Operand& x, const Operand& y, Type from, Type to) const {
  const Shape a = shape_of(x), b = shape_of(y);
  if (a.kind == Shape::Kind::none || b.kind == Shape::Kind::none) return {};
  if (a.is_varying() || b.is_varying()) return Shape::varying();
  if (a.has_no_stride() && b.has_no_stride())
    return {Shape::Kind::affine, a.linear && b.linear, false, 0};
  int64_t factor;
  if (constant_of(body_, shapes_, y, from, factor))
    return {Shape::Kind::affine, a.linear, a.stepped, wrap(product(a.stride, factor), to)};
  if (constant_of(body_, shapes_, x, from, factor))
    return {Shape::Kind::affine, b.linear, b.stepped, wrap(product(b.stride, factor), to)};
  return Shape::varying();
}

Shape ShapeRules::shape_of(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::reg:
      return shapes_.registers[operand.index];
    case Operand::Kind::special:
      return shape_of(operand.special);
    case Operand::Kind::vector: {
      Shape all = Shape::uniform();
      for (const Operand& element : operand.elements) {
        const Shape one = shape_of(element);
        if (one.kind == Shape::Kind::none) return one;
        if (!one.is_uniform()) all = Shape::varying();
      }
      return all;
    }
    case Operand::Kind::address:
      return operand.has_base && !operand.base_is_symbol ? shapes_.registers[operand.index]
                                                         : Shape::uniform();
    default:
      return Shape::uniform();
  }
}

Shape ShapeRules::shape_of(Special special) const {
  const bool rows = class_.shape() == BlockClass::Shape::rows;
  const bool halves = class_.shape() == BlockClass::Shape::half_rows;
  switch (special) {
    case Special::tid_x:
      if (rows) return {Shape::Kind::affine, true, false, 1};
      if (halves) return {Shape::Kind::affine, false, false, 1};
      return Shape::varying();
    case Special::tid_y:
    case Special::tid_z:
      if (rows || class_.one_dimensional()) return Shape::uniform();
      if (halves) return {Shape::Kind::affine, false, false, 0};
      return Shape::varying();
    case Special::laneid:
      return {Shape::Kind::affine, true, false, 1};
    case Special::lanemask_eq:
    case Special::lanemask_ge:
    case Special::lanemask_gt:
    case Special::lanemask_le:
    case Special::lanemask_lt:
      return Shape::varying();
    default:
      return Shape::uniform();
  }
}

int64_t ShapeRules::alignment(const Operand& operand, int depth) const {
  int64_t value;
  if (constant(operand, value)) return value == 0 ? 32 : std::min<int64_t>(32, value & -value);
  if (operand.kind == Operand::Kind::special) {
    const bool x = operand.special == Special::tid_x;
    if (x && class_.shape() == BlockClass::Shape::rows) return 32;
    return operand.special == Special::laneid ? 32 : 1;
  }
  if (operand.kind != Operand::Kind::reg || depth > 8) return 1;
  const uint32_t r = operand.index;
  if (shapes_.definitions[r] != 1) return 1;
  const Instruction& by = body_.instructions[shapes_.definition[r]];
  if (by.predicate) return 1;
  // Saturating and floating-point instructions are none of these.
  for (const Type type : by.types)
    if (kind_of(type) > TypeKind::signed_integer) return 1;
  if (!by.modifiers.empty()) return 1;
  if (by.opcode == Opcode::mov || by.opcode == Opcode::cvt)
    return alignment(by.operands[1], depth + 1);
  if (by.opcode == Opcode::add)
    return std::min(alignment(by.operands[1], depth + 1), alignment(by.operands[2], depth + 1));
  return 1;
}

Shape ShapeRules::shape_of(const Instruction& instruction) const {
  const Opcode op = instruction.opcode;
  const auto& operands = instruction.operands;
  const Type type = instruction.type();
  const bool whole = kind_of(type) <= TypeKind::signed_integer && size_of(type) >= 4;
  if (instruction.is(Trait::own)) return Shape::varying();
  // Lanes that name different members get different answers.
  if ((op == Opcode::vote || op == Opcode::redux) && instruction.has(dot::sync)) {
    const Shape members = shape_of(operands.back());
    return members.kind == Shape::Kind::none || members.is_uniform() ? members : Shape::varying();
  }
  if (op == Opcode::vote || instruction.is(Trait::same)) return Shape::uniform();
  if (op == Opcode::ld || op == Opcode::ldu) return shape_of_load(instruction);

  if (operands.size() < 2) return Shape::varying();
  const Shape first = shape_of(operands[1]);
  if (op == Opcode::mov || op == Opcode::cvta) {
    if (operands[0].kind == Operand::Kind::vector || operands[1].kind == Operand::Kind::vector)
      return first.kind == Shape::Kind::none || first.is_uniform() ? first : Shape::varying();
    // The address of local memory is the same offset in every thread, but cvta makes it a generic
    // address, which differs.
    if (op == Opcode::cvta && (instruction.has(dot::local) || instruction.has(dot::param)) &&
        !instruction.has(dot::to))
      return Shape::varying();
    return first;
  }
  if (op == Opcode::cvt && instruction.types.size() == 2 && !instruction.has(dot::sat)) {
    const Type to = instruction.types[0], from = instruction.types[1];
    if (kind_of(to) <= TypeKind::signed_integer && kind_of(from) <= TypeKind::signed_integer &&
        first.is_affine() && first.stride != 0) {
      if (size_of(from) < 4 || size_of(to) < 4) return Shape::varying();
      if (size_of(from) == 4 && size_of(to) == 8 && !steps_once(first.stride))
        return Shape::varying();
      Shape result = first;
      result.stride = wrap(first.stride, to);
      result.stepped = size_of(to) == 8 && (size_of(from) == 4 || first.stepped);
      return result;
    }
  }
  if (whole && (op == Opcode::add || op == Opcode::sub) && instruction.modifiers.empty())
    return add(first, shape_of(operands[2]), op == Opcode::add ? 1 : -1, type);
  if (whole && op == Opcode::mul && instruction.has(dot::lo))
    return multiply(operands[1], operands[2], type, type);
  if (whole && op == Opcode::mul && instruction.has(dot::wide)) return widened(instruction);
  if (whole && op == Opcode::mad && instruction.has(dot::lo) && !instruction.has(dot::cc))
    return add(multiply(operands[1], operands[2], type, type), shape_of(operands[3]), 1, type);
  if (whole && op == Opcode::mad && instruction.has(dot::wide))
    return add(widened(instruction), shape_of(operands[3]), 1, Type::s64);
  int64_t value;
  if (whole && op == Opcode::shl && first.is_affine() && first.stride != 0 &&
      constant(operands[2], value) && value >= 0 && value < 8 * size_of(type)) {
    Shape result = first;
    result.stride = wrap(static_cast<int64_t>(static_cast<uint64_t>(first.stride) << value), type);
    return result;
  }
  if (op == Opcode::neg && whole && first.is_affine()) {
    Shape result = first;
    result.stride = wrap(-first.stride, type);
    return result;
  }
  if (op == Opcode::and_ && first.is_affine() && first.stride == 1 && first.linear &&
      constant(operands[2], value) && value == 31 && alignment(operands[1]) == 32)
    return {Shape::Kind::affine, true, false, 1};
  if (op == Opcode::shr && first.is_affine() && first.stride == 1 && first.linear &&
      !first.stepped && constant(operands[2], value) && value >= 5 && value < 8 * size_of(type) &&
      alignment(operands[1]) == 32)
    return Shape::uniform();

  // Everything else: one value if each operand is one, else varying.
  bool linear = true;
  for (size_t i = 1; i < operands.size(); ++i) {
    const Shape shape = shape_of(operands[i]);
    if (shape.kind == Shape::Kind::none) return {};
    if (!shape.has_no_stride()) return Shape::varying();
    linear &= shape.linear;
  }
  return {Shape::Kind::affine, linear, false, 0};
}

Shape ShapeRules::widened(const Instruction& instruction) const {
  const Type narrow = instruction.type();
  const Shape product =
      multiply(instruction.operands[1], instruction.operands[2], narrow, Type::s64);
  if (!product.is_affine() || product.stride == 0) return product;
  if (size_of(narrow) != 4) return Shape::varying();
  // One factor is a constant, the other is affine.
  for (size_t n = 1; n <= 2; ++n)
    if (!steps_once(shape_of(instruction.operands[n]).stride)) return Shape::varying();
  Shape result = product;
  result.stepped = true;
  return result;
}

Shape ShapeRules::shape_of_load(const Instruction& instruction) const {
  const Operand& address = instruction.operands[1];
  const Shape shape = shape_of(address);
  if (instruction.has(dot::param) || instruction.has(dot::param_entry))
    // A variable of the body holds a call's result: each thread has its own.
    return address.index > 0 && address.base_is_symbol ? Shape::varying() : same_for_all(shape);
  if (instruction.has(dot::local) || instruction.has(dot::param_func)) return Shape::varying();
  // A generic address may be one of local memory: then it is varying already.
  return same_for_all(shape);
}

}  // namespace cuvette::ptx
