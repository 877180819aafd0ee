// SPDX-License-Identifier: Apache-2.0
// How a register's value runs along the lanes of a warp, and what instructions make of their
// operands' shapes: what decides whether code is scalar, a contiguous vector or a gather.
//
// Threads: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ptx/jit.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

struct Shape {
  enum class Kind : uint8_t { none, affine, varying };
  Kind kind = Kind::none;
  // Affine: base + stride * lane, in the register's own width. Linear: one base for the warp;
  // otherwise one for each half of it, and the lane counts from the half's beginning.
  bool linear = true;
  // A 64-bit value that was made from a 32-bit one: where that has run over its end, the lanes from
  // there on lie a step beside the line. The step is known at run time and almost always 0. There
  // is one step at most: see steps_once().
  bool stepped = false;
  int64_t stride = 0;

  static Shape uniform() { return {Kind::affine}; }
  static Shape varying() { return {Kind::varying, true, false, 0}; }
  bool is_affine() const { return kind == Kind::affine; }
  bool is_varying() const { return kind == Kind::varying; }
  bool is_uniform() const { return has_no_stride() && linear; }  // one value
  // A step makes two values of one, whatever the stride.
  bool has_no_stride() const { return is_affine() && stride == 0 && !stepped; }
  bool operator==(const Shape&) const = default;
};

// Whether a line of 32-bit numbers runs over its end once at most within a warp, so that one step
// says all of what it is in 64 bits. Of a base in [0, 2^32), or in [-2^31, 2^31), the last lane
// lies at base + 31 * stride if nothing ran over. Where 31 * |stride| <= 2^32 that is less than a
// second 2^32 away from the range at either side: subtracting or adding 2^32 once brings every lane
// back. A larger stride, as that of `tid * 2654435761`, may run over in each lane. Halves of a warp
// are shorter lines, so the same holds for them.
constexpr bool steps_once(int64_t stride) {
  constexpr int64_t most = (int64_t{1} << 32) / 31;
  return stride >= -most && stride <= most;
}

// What is known of a body's registers.
struct ValueShapes {
  std::vector<Shape> registers;

  std::vector<uint32_t> definitions;  // of a register: how many instructions write it
  std::vector<uint32_t> definition;   // of a register: the last that does
};

// The value of an operand that is a constant, or of a register that only ever is one.
bool constant_of(const Body& body, const ValueShapes& shapes, const Operand& operand,
                 int64_t& value);

// The same as an operand of `type`: how large it is depends on whether the type has a sign.
bool constant_of(const Body& body, const ValueShapes& shapes, const Operand& operand, Type type,
                 int64_t& value);

// What an instruction makes of the shapes that its operands have now. All must outlive it.
class ShapeRules {
 public:
  ShapeRules(const Body& body, const BlockClass& block_class, const ValueShapes& shapes)
      : body_(body), class_(block_class), shapes_(shapes) {}

  Shape shape_of(const Instruction& instruction) const;
  Shape shape_of(const Operand& operand) const;
  // Predicates are one value or a mask; small integers are one value or a vector.
  Shape narrowed(const Shape& shape, uint32_t r) const;

 private:
  Shape shape_of(Special special) const;
  // `from` is what the operands are, `to` the product.
  Shape multiply(const Operand& x, const Operand& y, Type from, Type to) const;
  Shape widened(const Instruction& instruction) const;
  Shape shape_of_load(const Instruction& instruction) const;
  bool constant(const Operand& operand, int64_t& value) const {
    return constant_of(body_, shapes_, operand, value);
  }
  // The largest power of two, up to 32, that divides an affine value's base for certain.
  int64_t alignment(const Operand& operand, int depth = 0) const;

  const Body& body_;
  const BlockClass class_;
  const ValueShapes& shapes_;
};

// What a register is that gets values of both shapes.
Shape join(const Shape& a, const Shape& b);

}  // namespace cuvette::ptx
