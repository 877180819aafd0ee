// SPDX-License-Identifier: Apache-2.0
// Which registers and masks are needed at the beginning of each block: by lanes that have come
// there, and by those that wait elsewhere at that time.
//
// Outside of regions nobody waits. In a region lanes wait at a block from the branch that sent them
// there until it is their turn: meanwhile the warp runs the blocks between the two, and again and
// again those of a loop that they have left.
#pragma once

#include <vector>

#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/passes/shapes.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

// Of a block: registers and, behind them, masks of blocks.
struct Needs {
  std::vector<BitSet> needed;   // by its lanes or by others
  std::vector<BitSet> waiting;  // by others
};

// Asks the shapes for regions alone.
Needs find_needs(const Body& body, const Flow& flow, const Shapes& shapes);

}  // namespace cuvette::ptx
