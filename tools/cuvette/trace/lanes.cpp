// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/lanes.hpp"

#include <algorithm>
#include <tuple>

namespace cuvette::tools {

Lanes lanes_of(std::vector<LaneSpan>& spans, size_t most_names, size_t most) {
  std::ranges::stable_sort(spans, {},
                           [](const LaneSpan& span) { return std::tuple(span.begin, span.end); });
  struct Lane {
    uint64_t free_from;
    std::string name;
  };
  std::vector<Lane> lanes;
  Lanes result;
  std::erase_if(spans, [&](const LaneSpan& span) {
    const auto is_free = [&](const Lane& lane) { return lane.free_from <= span.begin; };
    auto lane = std::ranges::find_if(
        lanes, [&](const Lane& one) { return is_free(one) && one.name == span.name; });
    if (lane == lanes.end() && lanes.size() >= most_names) {
      lane = std::ranges::find_if(lanes, is_free);
      if (lane != lanes.end()) lane->name.clear();
    }
    if (lane == lanes.end()) {
      if (lanes.size() == most) return true;
      lane = lanes.insert(lane, {0, span.name});
    }
    lane->free_from = span.end;
    result.lane_of.push_back(static_cast<uint32_t>(lane - lanes.begin()));
    return false;
  });
  for (Lane& lane : lanes) result.names.push_back(std::move(lane.name));
  return result;
}

}  // namespace cuvette::tools
