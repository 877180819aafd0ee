// SPDX-License-Identifier: Apache-2.0
// How a register's value runs along the lanes of a warp, and where lanes go different ways: what
// decides whether code is scalar, a contiguous vector or a gather.
//
// A register has one shape everywhere. It starts with what the instructions that write it make of
// their operands' shapes, and gets `varying` where lanes that wait somewhere would see what others
// have written meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ptx/jit.hpp"
#include "sim/ptx/passes/flow.hpp"
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

struct Shapes {
  std::vector<Shape> registers;

  // Regions: blocks that a part of the warp may run while others wait. A block's mask says which.
  // -1: all lanes run it together.
  std::vector<int32_t> region;       // of a block
  std::vector<int32_t> opens;        // of a block: where lanes are after it that its branch parts
  std::vector<BlockId> region_exit;  // where all its lanes meet; it may lie in another region
  std::vector<std::vector<BlockId>> region_blocks;                // of a region, in order
  std::vector<std::vector<BlockId>> region_turns, region_places;  // next_turns(), waiting_places()

  // Where lanes of a region wait for the next turn of loops that spin, in order.
  const std::vector<BlockId>& next_turns(int32_t in_region) const;
  // These and, if there are some, where lanes wait for such as are late.
  const std::vector<BlockId>& waiting_places(int32_t in_region) const;
  // Whether lanes of a region may come to any of its blocks in any turn: a loop of it spins, or its
  // control flow is irreducible.
  bool turns_freely(const Flow& flow, int32_t in_region) const;

  std::vector<uint32_t> definitions;  // of a register: how many instructions write it
  std::vector<uint32_t> definition;   // of a register: the last that does
};

Shapes find_shapes(const Body& body, const Flow& flow, const BlockClass& block_class);

// The value of an operand that is a constant, or of a register that only ever is one.
bool constant_of(const Body& body, const Shapes& shapes, const Operand& operand, int64_t& value);

// The same as an operand of `type`: how large it is depends on whether the type has a sign.
bool constant_of(const Body& body, const Shapes& shapes, const Operand& operand, Type type,
                 int64_t& value);

}  // namespace cuvette::ptx
