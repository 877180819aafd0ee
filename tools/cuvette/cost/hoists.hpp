// SPDX-License-Identifier: Apache-2.0
// Calls that a program could make less often: what it makes and gives back again and again, maps
// one by one, or waits for in a loop.
//
// Threads: any.
#pragma once

#include <vector>

#include "tools/cuvette/cost/result.hpp"

namespace cuvette::tools {

// Returns them, those that save most first; none that saves less than a two-hundredth of the whole.
std::vector<Hoist> hoists_of(const Record& record, const Estimates& estimates,
                             const CostTable& table);

}  // namespace cuvette::tools
