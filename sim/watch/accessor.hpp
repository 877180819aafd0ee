// SPDX-License-Identifier: Apache-2.0
// Accessor: an access by a thread of a launch, for reports.
#pragma once

#include <cstdint>

#include "sim/watch/mark.hpp"

namespace cuvette::watch {

struct Accessor {
  uint64_t block = 0;   // its number in the grid
  uint32_t thread = 0;  // its number in the block
  Place place;
};

}  // namespace cuvette::watch
