// SPDX-License-Identifier: Apache-2.0
// Functions that are compiled once, for all who call them, because putting them in place at each
// call would make too much of a kernel: programs that are built to be debugged call everything.
//
// Such a function runs the lanes that call it to its end at once. So nothing in it may end lanes,
// stop the warp on its way, or wait for lanes elsewhere; whatever does is put in place.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>

#include "sim/ptx/passes/recursion.hpp"
#include "sim/ptx/syntax.hpp"

namespace cuvette::ptx {

struct CallTree {
  const Function& kernel;
  const CallGraph& graph;  // a callee stands there once for each call
  const std::map<const Function*, uint32_t>& recursive;
  std::function<const Body&(const Function&)> body_of;
};

// Nothing as long as the kernel has at most `most_in_place` instructions with all that it calls,
// otherwise large functions with several calls; with 0 all that can be.
std::set<const Function*> find_separate(const CallTree& tree, size_t most_in_place);

}  // namespace cuvette::ptx
