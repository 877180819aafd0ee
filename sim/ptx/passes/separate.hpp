// SPDX-License-Identifier: Apache-2.0
// Functions that are compiled once for all their callers, because inlining them at each call would
// make a kernel too large: programs built for debugging inline nothing themselves.
//
// Such a function runs the calling lanes to its end without a stop. So nothing in it may end lanes,
// suspend the warp, or wait for lanes elsewhere; functions that do any of these are inlined.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>

#include "sim/ptx/passes/recursion.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

struct CallTree {
  const Function& kernel;
  const CallGraph& graph;  // a callee is there once for each call
  const std::map<const Function*, uint32_t>& recursive;
  std::function<const Body&(const Function&)> body_of;
};

// Returns nothing if the kernel has at most `most_in_place` instructions with all that it calls,
// otherwise large functions with several calls; 0 selects every function that qualifies.
std::set<const Function*> find_separate(const CallTree& tree, size_t most_in_place);

}  // namespace cuvette::ptx
