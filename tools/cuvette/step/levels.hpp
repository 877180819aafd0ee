// SPDX-License-Identifier: Apache-2.0
// Decisions that put work in a wanted order.
//
// Everything is held back until it is needed, and what comes later is held back longer: its level
// is higher. A wait of the program then does the work of lower levels first, in the wanted order,
// and goes on as soon as it has what it waits for.
//
// Neighbours in the order that are in one lane, or in one branch of one launch, share a level:
// levels are only compared between lanes, so nothing changes, and the decisions are shorter.
//
// Threads: any; pure functions.
#pragma once

#include <vector>

#include "sim/exec/schedule.hpp"
#include "tools/cuvette/step/run_log.hpp"

namespace cuvette::tools {

struct Ranked {
  WorkName name;
  uint32_t branch = 0;  // of a step
};

// Returns the decisions for this order, in which nothing comes before what it waits for.
std::vector<exec::Decision> held_in_order(const std::vector<Ranked>& order);

// Adds decisions for commands that are not known yet: the next ones of each lane, and those of two
// more lanes, are held back longest.
void hold_unknown(std::vector<exec::Decision>& held, const std::vector<Ranked>& order);

}  // namespace cuvette::tools
