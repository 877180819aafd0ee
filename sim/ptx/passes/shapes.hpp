// SPDX-License-Identifier: Apache-2.0
// How a register's value varies along the lanes of a warp, and where lanes take different paths:
// this decides whether code is scalar, a contiguous vector or a gather.
//
// A register has one shape everywhere. The shape follows from the operands of the instructions that
// write the register, and becomes `varying` if waiting lanes would otherwise see what other lanes
// have written meanwhile.
#pragma once

#include "sim/ptx/abi/jit.hpp"
#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/passes/regions.hpp"
#include "sim/ptx/passes/value_shapes.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

struct Shapes : ValueShapes, Regions {};

Shapes find_shapes(const Body& body, const Flow& flow, const BlockClass& block_class);

}  // namespace cuvette::ptx
