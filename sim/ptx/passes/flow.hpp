// SPDX-License-Identifier: Apache-2.0
// A body's control flow: basic blocks in the order in which a warp walks through them, loops,
// post-dominators, and which registers are live where.
//
// Order: topological without the back edges, with the blocks of a loop side by side. Everything
// between a branch and the block where its lanes meet again lies between the two, or before the end
// of the loop around them. Unreachable blocks are removed.
#pragma once

#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// `gather_at_barriers`: a barrier of the block gathers, as every meeting does where functions
// return by number. `far`: see Flow::gathers_far.
Flow find_flow(const Body& body, bool gather_at_barriers = false, bool far = false);

}  // namespace cuvette::ptx
