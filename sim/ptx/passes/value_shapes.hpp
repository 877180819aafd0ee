// SPDX-License-Identifier: Apache-2.0
// How a register's value varies along the lanes of a warp, and what instructions make of their
// operands' shapes: this decides whether code is scalar, a contiguous vector or a gather.
//
// Threads: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ptx/abi/jit.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

struct Shape {
  enum class Kind : uint8_t { none, affine, varying };
  Kind kind = Kind::none;
  // Affine: base + stride * lane, in the register's own width. Linear: one base for the warp;
  // otherwise one for each half of it, and the lane counts from the half's beginning.
  bool linear = true;
  // A 64-bit value that was made from a 32-bit one: where that has wrapped around, the lanes from
  // there on are off by a step. The step is known at run time and almost always 0. There is one
  // step at most: see steps_once().
  bool stepped = false;
  int64_t stride = 0;

  static Shape uniform() { return {Kind::affine}; }
  static Shape varying() { return {Kind::varying, true, false, 0}; }
  bool is_affine() const { return kind == Kind::affine; }
  bool is_varying() const { return kind == Kind::varying; }
  bool is_uniform() const { return has_no_stride() && linear; }  // one value
  // A step makes two values of one even if the stride is 0.
  bool has_no_stride() const { return is_affine() && stride == 0 && !stepped; }
  bool operator==(const Shape&) const = default;
};

// Whether an affine 32-bit value wraps around at most once within a warp, so that one step
// describes it in 64 bits. With a base in [0, 2^32), or in [-2^31, 2^31), the last lane would be at
// base + 31 * stride without wrapping. If 31 * |stride| <= 2^32, that is at most 2^32 outside the
// range on either side: subtracting or adding 2^32 once brings every lane back. A larger stride, as
// of `tid * 2654435761`, may wrap in each lane. The same holds for halves of a warp, which are
// shorter.
constexpr bool steps_once(int64_t stride) {
  constexpr int64_t most = (int64_t{1} << 32) / 31;
  return stride >= -most && stride <= most;
}

// The facts about a body's registers.
struct ValueShapes {
  std::vector<Shape> registers;

  std::vector<uint32_t> definitions;  // of a register: how many instructions write it
  std::vector<uint32_t> definition;   // of a register: the last that does
};

// Gets the value of an operand that is a constant, or a register that only ever holds one; false
// for others.
bool constant_of(const Body& body, const ValueShapes& shapes, const Operand& operand,
                 int64_t& value);

// The same for an operand of `type`, which decides whether 32 bits are sign-extended.
bool constant_of(const Body& body, const ValueShapes& shapes, const Operand& operand, Type type,
                 int64_t& value);

// Computes an instruction's shape from the shapes that its operands have now. The arguments must
// outlive it.
class ShapeRules {
 public:
  ShapeRules(const Body& body, const BlockClass& block_class, const ValueShapes& shapes)
      : body_(body), class_(block_class), shapes_(shapes) {}

  Shape shape_of(const Instruction& instruction) const;
  Shape shape_of(const Operand& operand) const;
  // Returns the shape that register `r` takes: predicates are one value or a mask, small integers
  // one value or a vector.
  Shape narrowed(const Shape& shape, uint32_t r) const;

 private:
  Shape shape_of(Special special) const;
  // `from` is the operands' type, `to` the product's.
  Shape multiply(const Operand& x, const Operand& y, Type from, Type to) const;
  Shape widened(const Instruction& instruction) const;
  Shape shape_of_load(const Instruction& instruction) const;
  bool constant(const Operand& operand, int64_t& value) const {
    return constant_of(body_, shapes_, operand, value);
  }
  // The largest power of two, up to 32, that certainly divides an affine value's base.
  int64_t alignment(const Operand& operand, int depth = 0) const;

  const Body& body_;
  const BlockClass class_;
  const ValueShapes& shapes_;
};

// Returns the shape of a register that gets values of both shapes.
Shape join(const Shape& a, const Shape& b);

}  // namespace cuvette::ptx
