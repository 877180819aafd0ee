// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_plan.hpp"

#include <algorithm>

namespace cuvette::tools {

std::vector<std::string> plan(const std::map<uint32_t, uint64_t>& lanes, const PlanLimits& limits) {
  std::vector<std::string> schedules = {"lazy"};
  for (const auto& [lane, count] : lanes) schedules.push_back("starve:" + std::to_string(lane));

  std::vector<std::string> switches;
  for (const auto& [held, held_count] : lanes)
    for (const auto& [other, count] : lanes)
      for (uint64_t number = 1; held != other && number < count; ++number)
        switches.push_back("switch:" + std::to_string(held) + ":" + std::to_string(other) + ":" +
                           std::to_string(number));
  // If there are too many, some of everywhere.
  const size_t taken = std::min(switches.size(), limits.switches);
  for (size_t i = 0; i < taken; ++i) schedules.push_back(switches[i * switches.size() / taken]);

  for (size_t seed = 1; seed <= limits.seeds; ++seed)
    schedules.push_back(seed % 4 == 0 ? "pct:" + std::to_string(seed) + ":3"
                                      : "random:" + std::to_string(seed));
  return schedules;
}

}  // namespace cuvette::tools
