// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/regions.hpp"

namespace cuvette::ptx {

const std::vector<BlockId>& Regions::next_turns(int32_t in_region) const {
  return region_turns[static_cast<size_t>(in_region)];
}

const std::vector<BlockId>& Regions::waiting_places(int32_t in_region) const {
  return region_places[static_cast<size_t>(in_region)];
}

bool Regions::turns_freely(const Flow& flow, int32_t in_region) const {
  return flow.irreducible || flow.gathers || !next_turns(in_region).empty();
}

}  // namespace cuvette::ptx
