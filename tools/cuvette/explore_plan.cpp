// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_plan.hpp"

#include <algorithm>

namespace cuvette::tools {

namespace {

// Takes a sample from the whole range if there are too many.
void add_some(std::vector<std::string>& schedules, const std::vector<std::string>& more,
              size_t most) {
  const size_t taken = std::min(more.size(), most);
  for (size_t i = 0; i < taken; ++i) schedules.push_back(more[i * more.size() / taken]);
}

}  // namespace

std::vector<std::string> plan(const Lanes& lanes, const Branches& branches,
                              const PlanLimits& limits) {
  struct LaneOrBranch {
    std::string name;
    uint64_t count;
    bool branch;
    uint32_t lane;
  };
  std::vector<LaneOrBranch> places;
  std::map<uint32_t, size_t> branches_of;
  for (const auto& [lane, count] : lanes)
    places.push_back({std::to_string(lane), count, false, lane});
  for (const auto& [branch, count] : branches) ++branches_of[branch.first];
  for (const auto& [branch, count] : branches)
    places.push_back({std::to_string(branch.first) + "/" + std::to_string(branch.second), count,
                      true, branch.first});

  std::vector<std::string> schedules = {"lazy"}, starved, switches, branch_switches;
  for (const LaneOrBranch& place : places) {
    if (!place.branch) schedules.push_back("starve:" + place.name);
    // If a lane has only one branch, the branch is the same as the lane.
    if (place.branch && branches_of[place.lane] > 1) starved.push_back("starve:" + place.name);
  }
  add_some(schedules, starved, limits.starved_branches);
  for (const LaneOrBranch& held : places)
    for (const LaneOrBranch& other : places) {
      // A branch is a part of its lane.
      if (held.branch != other.branch && held.lane == other.lane) continue;
      auto& list = held.branch || other.branch ? branch_switches : switches;
      for (uint64_t number = 1; held.name != other.name && number < other.count; ++number)
        list.push_back("switch:" + held.name + ":" + other.name + ":" + std::to_string(number));
    }
  add_some(schedules, switches, limits.switches);
  add_some(schedules, branch_switches, limits.switches);

  for (size_t seed = 1; seed <= limits.seeds; ++seed)
    schedules.push_back(seed % 4 == 0 ? "pct:" + std::to_string(seed) + ":3"
                                      : "random:" + std::to_string(seed));
  return schedules;
}

}  // namespace cuvette::tools
