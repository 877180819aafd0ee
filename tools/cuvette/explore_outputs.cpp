// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_outputs.hpp"

#include <algorithm>

namespace cuvette::tools {

void Outputs::add(const std::string& schedule, const std::string& output) {
  const bool is_new =
      std::none_of(all_.begin(), all_.end(), [&](const auto& one) { return one.second == output; });
  if (!is_new) return;
  if (schedule == "turned" || schedule.starts_with("shuffled:")) by_blocks_ = true;
  surprised_ = surprised_ || complete_;
  all_.emplace_back(schedule, output);
}

}  // namespace cuvette::tools
