// SPDX-License-Identifier: Apache-2.0
// Regions: blocks that some lanes of a warp may run while others wait. A block's mask says which.
//
// Threads: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ptx/passes/blocks.hpp"

namespace cuvette::ptx {

struct Regions {
  std::vector<int32_t> region;       // of a block; -1: all lanes run it together
  std::vector<int32_t> opens;        // of a block: where lanes are after it that its branch parts
  std::vector<BlockId> region_exit;  // where all its lanes meet; it may lie in another region
  std::vector<std::vector<BlockId>> region_blocks;                // of a region, in order
  std::vector<std::vector<BlockId>> region_turns, region_places;  // next_turns(), waiting_places()

  // Where lanes of a region wait for the next turn of loops that spin, in order.
  const std::vector<BlockId>& next_turns(int32_t in_region) const;
  // Returns those blocks and the blocks where lanes wait for lanes that are late, if there are any.
  const std::vector<BlockId>& waiting_places(int32_t in_region) const;
  // Whether lanes of a region may reach any of its blocks at any time, because one of its loops
  // spins, lanes wait for late ones, or its control flow is irreducible.
  bool turns_freely(const Flow& flow, int32_t in_region) const;
};

}  // namespace cuvette::ptx
