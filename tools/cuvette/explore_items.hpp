// SPDX-License-Identifier: Apache-2.0
// The decisions of a run as items, each of which can be left out when a failure is made small.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/exec/schedule.hpp"
#include "tools/cuvette/order.hpp"

namespace cuvette::tools {

// One of the three.
struct Item {
  exec::Decision held;
  exec::KernelDecision kernel;
  uint64_t yes = 0;
  bool is_kernel = false;
};

// Returns the decisions of a run, in the order of what they are about.
std::vector<Item> items_of(const Order& order);
// Returns them as decisions, neighbours joined to ranges.
exec::Decisions decisions_of(const std::vector<Item>& items);
// Makes the decision the shortest to print: "until it is needed", "the last first". False if it is.
bool shorten(Item& item);

}  // namespace cuvette::tools
