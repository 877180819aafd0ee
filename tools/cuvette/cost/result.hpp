// SPDX-License-Identifier: Apache-2.0
// The answer of `cuvette cost`: its numbers, as text, as JSON and compared with another's.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/cost/estimate.hpp"
#include "tools/cuvette/cost/hoists.hpp"
#include "tools/cuvette/cost/table.hpp"
#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// The calls of one function at one place. Times are nanoseconds, of all calls together.
struct CostLine {
  std::string function, call_site;
  uint64_t calls = 0, bytes = 0;
  uint64_t with_row = 0;  // calls for which the table has rows; the estimate is theirs
  double here = 0;
  Estimate there;
  double waits = 0;       // the part of it that is waiting for queued work
  bool is_vague = false;  // a size or class that the cost depends on was unknown
};

struct CostWithoutRow {
  std::string function;
  uint64_t calls = 0;
  double here = 0;
};

struct CostResult {
  std::string program, gpu, driver, host;
  uint64_t calls = 0;
  double here = 0;
  Estimate there;
  std::vector<Hoist> hoists;    // the dearest first
  std::vector<CostLine> lines;  // the dearest first
  std::vector<CostWithoutRow> without_row;
  uint64_t without_own_part = 0;  // calls of the runtime: its own part of them is left out
  uint64_t dropped = 0;           // records that found no room, or made no sense
};

CostResult cost_of(const Record& record, const CostTable& table);

// As text. Shows at most `limit` lines and hoists; 0: all.
std::string cost_as_text(const CostResult& result, size_t limit);

std::string cost_as_json(const CostResult& result);
// Reads it back. Throws CostFileError, which says what is wrong and where; `name` is for messages.
CostResult cost_from_json(const std::string& text, const std::string& name);

// What became dearer and cheaper from one run to another: text, or JSON.
std::string compared_as_text(const CostResult& before, const CostResult& after, size_t limit);
std::string compared_as_json(const CostResult& before, const CostResult& after);

// One line for each outermost call, for spreadsheets: function, call site, here, p10, median, p90.
std::string calls_as_csv(const Record& record, const CostTable& table);

}  // namespace cuvette::tools
