// SPDX-License-Identifier: Apache-2.0
// MemoryPlace: where memory is, or should be, as a program names it.
#pragma once

#include <compare>

namespace cuvette::memory {

// A CUmemLocation, with CUDA's numbers; type 0 is nowhere. A place without a number has the id -1.
struct MemoryPlace {
  static constexpr int device = 1, host = 2, host_node = 3;

  int type = 0;
  int id = -2;

  auto operator<=>(const MemoryPlace&) const = default;
};

}  // namespace cuvette::memory
