// SPDX-License-Identifier: Apache-2.0
// What the calls of a record would take by a table.
//
// The program's calls are followed in their order with a clock for each thread and each stream, by
// the table's times: whether a call finds work pending, and how long a wait waits, is told by these
// clocks, not by the times of this machine. A kernel keeps a stream busy for no longer than an
// empty one would: its time is not estimated.
//
// Threads: any.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/cuvette/cost/table.hpp"
#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// An outermost call.
struct EstimatedCall {
  uint32_t call = 0;  // calls
  Estimate there;
  bool has_row = true;    // the table has rows for all of it
  bool is_vague = false;  // something that its cost depends on is unknown
  double waits = 0;       // the part of the median that is waiting for queued work
};

struct FunctionWithoutRow {
  uint64_t calls = 0;
  double here = 0;  // nanoseconds
};

struct Estimates {
  std::vector<EstimatedCall> calls;  // in order of their beginnings
  std::map<std::string, FunctionWithoutRow> without_row;
  uint64_t without_own_part = 0;  // calls of the runtime with a row for all but its own part
};

Estimates estimate(const Record& record, const CostTable& table);

}  // namespace cuvette::tools
