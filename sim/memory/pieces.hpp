// SPDX-License-Identifier: Apache-2.0
// The runs of bytes that a region consists of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/memory/address.hpp"

namespace cuvette::memory {

// Calls visit(offset, size) for each run of bytes that follow each other, in order; rows that meet
// are one. Nothing is visited if there are more than `most`.
template <typename Visit>
void visit_pieces(const Region& region, size_t most, const Visit& visit) {
  if (region.empty()) return;
  const bool rows_meet = region.height == 1 || region.pitch == region.width;
  const size_t slice = region.height * region.width;
  if (rows_meet && (region.depth == 1 || region.slice == slice)) {
    visit(0, region.bytes());
  } else if (rows_meet) {
    if (region.depth > most) return;
    for (size_t z = 0; z < region.depth; ++z) visit(z * region.slice, slice);
  } else {
    if (region.depth > most / region.height) return;
    for (size_t z = 0; z < region.depth; ++z)
      for (size_t y = 0; y < region.height; ++y)
        visit(z * region.slice + y * region.pitch, region.width);
  }
}

}  // namespace cuvette::memory
