// SPDX-License-Identifier: Apache-2.0
// Value: what a register or an operand is worth in the 32 lanes of a warp.
#pragma once

#include <llvm/IR/Value.h>

#include "sim/ptx/passes/shapes.hpp"

namespace cuvette::ptx {

using V = llvm::Value;

struct Value {
  Shape shape;
  // Affine: the base, or one for each half. The step is subtracted from lane `step_lane` on; it is
  // null where the shape has none.
  V* scalar[2] = {};
  V* step[2] = {};
  V* step_lane[2] = {};
  V* vector = nullptr;  // varying

  int scalars() const { return shape.linear ? 1 : 2; }
};

inline Value uniform(V* scalar) { return {Shape::uniform(), {scalar}, {}, {}, nullptr}; }
inline Value varying(V* vector) { return {Shape::varying(), {}, {}, {}, vector}; }

}  // namespace cuvette::ptx
