// SPDX-License-Identifier: Apache-2.0
// Which loops spin, and which of them wait for what other threads or the host do.
//
// Every thread goes on, as on a GPU since compute capability 7.0: a loop that can be left only when
// somebody else has done something must give its turn away, whatever instruction it asks with. A
// loop is taken for one that waits if, with memory as it is, a way out of it might stay shut: its
// condition comes from a place in memory that stays the same from turn to turn, or from an atomic
// operation, and nothing that the loop itself moves on decides it. So a loop that counts, walks
// along a list, probes a table, or takes tickets up to a number is none.
#pragma once

#include "sim/ptx/passes/blocks.hpp"

namespace cuvette::ptx {

// Sets `waits` and `spins` of the loops. The rest of `flow` is there.
void find_waits(const Body& body, Flow& flow);

}  // namespace cuvette::ptx
