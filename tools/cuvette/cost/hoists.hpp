// SPDX-License-Identifier: Apache-2.0
// Calls that a program could make less often: what it makes and gives back again and again, maps
// one by one, or waits for in a loop.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/cost/estimate.hpp"
#include "tools/cuvette/cost/table.hpp"
#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// Calls that could be fewer.
struct Hoist {
  std::string sentence;
  std::string function, call_site;
  uint64_t calls = 0, instead = 0;
  double now = 0, then = 0;  // nanoseconds there
};

// Returns them, those that save most first; none that saves less than a two-hundredth of the whole.
std::vector<Hoist> hoists_of(const Record& record, const Estimates& estimates,
                             const CostTable& table);

}  // namespace cuvette::tools
