// SPDX-License-Identifier: Apache-2.0
// OwnedParts: which bytes of one memory Vulkan owns.
//
// Threads: a plain value.
#pragma once

#include <cstdint>

#include "sim/base/range_map.hpp"

namespace cuvette::vulkan_layer {

class OwnedParts {
 public:
  struct Part {
    uint64_t since;           // the number of the submission that acquired it, or works on it
    const void* acquired_at;  // null if nobody acquired it
    const void* released_at;  // null if it will not be released
  };

  // Vulkan owns [begin, end) since then; what it owned there before is forgotten.
  void own(uint64_t begin, uint64_t end, uint64_t since, const void* acquired_at);
  // Vulkan owns none of it any more.
  void give(uint64_t begin, uint64_t end);
  // The part that Vulkan owns is going to be released; or not, if `place` is null.
  void note_release(uint64_t begin, uint64_t end, const void* place);
  // The submission `since` works on it, and its owner does not matter.
  void use(uint64_t begin, uint64_t end, uint64_t since);

  bool empty() const { return parts_.empty(); }
  // Calls `visit(begin, end, part)` for each part, in the order of the addresses.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const auto& [begin, range] : parts_) visit(begin, range.end(), range.value);
  }

 private:
  RangeMap<Part> parts_;
};

}  // namespace cuvette::vulkan_layer
