// SPDX-License-Identifier: Apache-2.0
// Functions that stand in a kernel once, where copies at each of their calls would make too much of
// it and they cannot be compiled by themselves (separate.hpp): they hold barriers, wait for others
// or end threads. A call is a jump there, a return one to the number of the call's place.
//
// GCC puts its runtime into each kernel that it offloads; a tenth of such a kernel is what the
// program does.
#pragma once

#include <cstddef>
#include <set>

#include "sim/ptx/passes/separate.hpp"

namespace cuvette::ptx {

struct PlacedOnce {
  std::set<const Function*> functions;
  // Those of them that call functions which may come back to themselves. These move the stack by
  // the frame of whoever calls: only where there is no frame yet is that the same for all callers.
  std::set<const Function*> before_frames;
};

// Nothing as long as the kernel has at most `most_copied` instructions with all that stays in it;
// with 0 all that can be. Functions that may come back to themselves are not among them: they have
// a way of their own (recursion.hpp), and stand in the kernel once where this finds something.
PlacedOnce find_placed_once(const CallTree& tree, const std::set<const Function*>& separate,
                            size_t most_copied);

}  // namespace cuvette::ptx
