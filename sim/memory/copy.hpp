// SPDX-License-Identifier: Apache-2.0
// Copying and filling regions. They touch memory: the caller holds the right to it.
//
// Threads: any. The caller cuts large regions into pieces and runs the pieces in parallel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/memory/address.hpp"

namespace cuvette::memory {

// Returns how many pieces of work a region is worth cutting into (1 for a small one).
size_t pieces(const Region& region);

// Copies piece `index` of `count` of `from` to `to`; both have the same width, height and depth.
// Overlapping regions must be copied in one piece.
void copy_piece(const Region& to, const Region& from, size_t index, size_t count);

// Fills piece `index` of `count` with `element`-byte (1, 2, 4) elements of `value`.
void fill_piece(const Region& to, uint32_t value, size_t element, size_t index, size_t count);

}  // namespace cuvette::memory
