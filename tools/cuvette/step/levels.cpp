// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/levels.hpp"

#include <algorithm>
#include <map>

namespace cuvette::tools {
namespace {

// Commands of a lane that may come later than any that a run has shown.
constexpr uint64_t most_unknown = 1000;

bool share_a_level(const Ranked& one, const Ranked& next) {
  if (one.name.lane != next.name.lane) return false;
  if ((one.name.step == 0) != (next.name.step == 0)) return false;
  return one.name.step == 0 || (one.name.number == next.name.number && one.branch == next.branch);
}

// Whether `next` can be said by the same decision.
bool extends(exec::Decision& decision, const WorkName& next) {
  if (next.step == 0) {
    if (decision.step != 0 || next.number != decision.last + 1) return false;
    decision.last = next.number;
  } else {
    if (decision.step == 0 || next.step != decision.last_step + 1) return false;
    decision.last_step = next.step;
  }
  return true;
}

}  // namespace

std::vector<exec::Decision> held_in_order(const std::vector<Ranked>& order) {
  std::vector<exec::Decision> held;
  uint32_t level = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const bool shares = i > 0 && share_a_level(order[i - 1], order[i]);
    if (shares && extends(held.back(), order[i].name)) continue;
    if (!shares) ++level;
    const WorkName& name = order[i].name;
    held.push_back({name.lane, name.number, name.number, {0, level}, name.step, name.step});
  }
  return held;
}

void hold_unknown(std::vector<exec::Decision>& held, const std::vector<Ranked>& order) {
  uint32_t level = 1;
  for (const exec::Decision& one : held) level = std::max(level, one.delay.level + 1);
  std::map<uint32_t, uint64_t> last = {{0, 0}};
  for (const Ranked& one : order)
    last[one.name.lane] = std::max(last[one.name.lane], one.name.number);
  const uint32_t lanes = last.rbegin()->first + 3;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    held.push_back({lane, last[lane] + 1, last[lane] + most_unknown, {0, level}, 0, 0});
}

}  // namespace cuvette::tools
