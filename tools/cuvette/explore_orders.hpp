// SPDX-License-Identifier: Apache-2.0
// Selects the planned schedules to run: those with an order unlike every other's.
//
// Threads: any.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/cuvette/explore_model.hpp"
#include "tools/cuvette/explore_plan.hpp"

namespace cuvette::tools {

struct Orders {
  std::vector<std::string> schedules;  // to run, beside `eager`
  std::vector<std::string> same;       // left out: their orders are like others
  bool complete = false;               // each order of commands that is possible is among them
  // The model's answers about the schedules that it was asked about.
  std::map<std::string, Model::Answers> predicted;
};

// Chooses for a program with this order of submission. `lazy` is always run: it shows what the host
// does not wait for, too, and what may happen and does not. So are other orders of blocks and
// warps, if there are any.
Orders choose_orders(const Model& model, const Order& eager, const PlanLimits& limits);

}  // namespace cuvette::tools
