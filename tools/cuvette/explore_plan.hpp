// SPDX-License-Identifier: Apache-2.0
// Which schedules `cuvette explore` tries, in which order.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {

struct PlanLimits {
  size_t starved_branches = 64;
  size_t switches = 128;  // schedules of the switch family, and as many with branches
  size_t seeds = 64;      // of random and of pct together
};

// How many commands each lane has in a run, and how many steps each branch of the graphs that are
// launched in it.
using Lanes = std::map<uint32_t, uint64_t>;
using Branches = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

// First `lazy` and `starve:` each lane and each branch: k lanes show every pair of commands that
// nothing orders in both orders, in k runs. Then `switch:`, which also shows two pairs that have to
// be turned round at once, first among lanes, then with branches. Chance comes last.
std::vector<std::string> plan(const Lanes& lanes, const Branches& branches,
                              const PlanLimits& limits);

}  // namespace cuvette::tools
