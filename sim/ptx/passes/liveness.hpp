// SPDX-License-Identifier: Apache-2.0
// Facts found along the edges of a body's blocks, once they are in order: which registers are live
// where, and where ways meet again.
//
// Threads: plain functions.
#pragma once

#include <vector>

#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Sets `live_in` and `live_out`; the blocks know their successors and predecessors.
void find_liveness(const Body& body, std::vector<Block>& blocks);

// Sets `post_dominator`; the blocks know their successors. Blocks that never reach the end (endless
// loops) count as leading there.
void find_post_dominators(std::vector<Block>& blocks);

}  // namespace cuvette::ptx
