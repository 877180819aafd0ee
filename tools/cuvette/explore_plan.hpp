// SPDX-License-Identifier: Apache-2.0
// Which schedules `cuvette explore` tries, in which order.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cuvette::tools {

struct PlanLimits {
  size_t switches = 128;  // schedules of the switch family
  size_t seeds = 64;      // of random and of pct together
};

// `lanes`: how many commands each lane has in a run.
//
// First `lazy` and `starve:` each lane: k lanes show every pair of commands that nothing orders in
// both orders, in k runs. Then `switch:`, which also shows two pairs that have to be turned round
// at once. Chance comes last.
std::vector<std::string> plan(const std::map<uint32_t, uint64_t>& lanes, const PlanLimits& limits);

}  // namespace cuvette::tools
