// SPDX-License-Identifier: Apache-2.0
// Which row of a table is about a call.
//
// Threads: any.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/cuvette/cost/table.hpp"

namespace cuvette::tools {

// What a call is to a table. `bytes` and `count` are 0 where nothing counts or it is unknown.
struct PricedCall {
  std::string function;  // without its version
  std::set<std::string> words;
  uint64_t bytes = 0;
  uint32_t count = 0;
};

class RowChoice {
 public:
  explicit RowChoice(const CostTable& table);
  struct Answer {
    bool has_row = false;
    bool is_vague =
        false;  // the call's class or size is unknown: the range spans the possible ones
    Estimate time;
  };
  // Answers by the row with most classes, all of which the call has. Without one, by the row that
  // wants the fewest more, and of these by the dearest.
  Answer find(const PricedCall& call, CostTable::Measures measures) const;

 private:
  const CostTable& table_;
  std::map<std::pair<CostTable::Measures, std::string>, std::vector<const CostTable::Row*>> rows_;
};

}  // namespace cuvette::tools
