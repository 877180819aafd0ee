// SPDX-License-Identifier: Apache-2.0
// Functions that a kernel contains once, because a copy at each call would make it too large and
// they cannot be compiled separately (separate.hpp): they hold barriers, wait for other lanes or
// end threads. A call jumps to the function; a return jumps to the call site by its number.
//
// GCC puts its runtime into each kernel that it offloads; only a tenth of such a kernel is the
// program's own code.
#pragma once

#include <cstddef>
#include <set>

#include "sim/ptx/passes/separate.hpp"

namespace cuvette::ptx {

struct PlacedOnce {
  std::set<const Function*> functions;
  // The functions among them that call functions which may come back to themselves. These move the
  // stack by the caller's frame, which is the same for all callers only before the first frame.
  std::set<const Function*> before_frames;
};

// Returns nothing if the kernel, with everything inlined, has at most `most_copied` instructions; 0
// selects every function that qualifies. Recursive functions are never among them: recursion.hpp
// handles those, and places them in the kernel once if this finds something.
PlacedOnce find_placed_once(const CallTree& tree, const std::set<const Function*>& separate,
                            size_t most_copied);

}  // namespace cuvette::ptx
