// SPDX-License-Identifier: Apache-2.0
// Vectors of a warp's lanes put together and taken apart.
#pragma once

#include <vector>

#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

V* concatenate(WarpBuilder& w, V* a, V* b);
// Neighbours of one lane side by side, and apart again.
V* interleave(WarpBuilder& w, const std::vector<V*>& values);
std::vector<V*> separate(WarpBuilder& w, V* whole, uint32_t count);
// The mask of `count` neighbours for each lane, of one half or all.
V* spread_mask(WarpBuilder& w, V* mask, uint32_t count, int half, int halves);
V* last_active(WarpBuilder& w);  // the number of a lane

}  // namespace cuvette::ptx
