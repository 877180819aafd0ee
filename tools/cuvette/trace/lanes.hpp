// SPDX-License-Identifier: Apache-2.0
// Lanes: spans of time that may overlap, on as few tracks as they need. Slices of one track of
// Perfetto must nest, so what overlaps gets its own track.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuvette::tools {

struct LaneSpan {
  uint64_t begin = 0, end = 0;
  std::string name;    // spans of one name share a lane where they can
  uint32_t index = 0;  // of what it shows
};

struct Lanes {
  std::vector<std::string> names;  // of the lanes; empty: its spans have several names
  std::vector<uint32_t> lane_of;   // for each span
};

// Sorts the spans by their times, and gives each a lane. Up to `most_names` lanes have spans of one
// name alone. Spans that would need more than `most` lanes are removed.
Lanes lanes_of(std::vector<LaneSpan>& spans, size_t most_names, size_t most);

}  // namespace cuvette::tools
