// SPDX-License-Identifier: Apache-2.0
// A body's control flow: basic blocks in the order in which a warp walks through them, loops,
// post-dominators, and which registers are live where.
//
// Order: topological if back edges are left out, and the blocks of a loop stand together, so that
// everything between a branch and where its lanes meet again lies between the two, or up to the end
// of the loop around them. Blocks that nothing reaches are gone.
#pragma once

#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

Flow find_flow(const Body& body);

}  // namespace cuvette::ptx
