// SPDX-License-Identifier: Apache-2.0
// Finds the loops that spin, and those among them that wait for other threads or the host.
//
// Every thread makes progress, as on a GPU since compute capability 7.0: a loop that ends only when
// another thread has done something must yield, regardless of the instruction that it polls with. A
// loop is assumed to wait if one of its exits might never be taken while memory stays as it is: the
// condition comes from an address that stays the same in each iteration, or from an atomic
// operation, and nothing that the loop itself advances decides it. So a loop that counts, walks
// along a list, probes a table, or takes tickets up to a number does not wait.
#pragma once

#include "sim/ptx/passes/blocks.hpp"

namespace cuvette::ptx {

// Sets `waits` and `spins` of the loops. The rest of `flow` must be complete.
void find_waits(const Body& body, Flow& flow);

}  // namespace cuvette::ptx
