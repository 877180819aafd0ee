// SPDX-License-Identifier: Apache-2.0
// ordered_pairs(): which commands of a record come before which, by a transitive closure.
//
// Threads: any; a pure function.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// Returns all pairs (first, second) of commands such that the second begins after the first has
// ended, in every order that the program allows.
std::vector<std::pair<uint32_t, uint32_t>> ordered_pairs(const Record& record);

}  // namespace cuvette::tools
