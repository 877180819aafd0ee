// SPDX-License-Identifier: Apache-2.0
// The table of `cuvette cost`: what calls took on one GPU with one driver. docs/cost.md describes
// the file, and bench/gpu_costs makes it.
//
// Threads: any.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/cuvette/cost/file_error.hpp"
#include "tools/cuvette/cost/points.hpp"

namespace cuvette::tools {

struct CostTable {
  // What the times of a row are.
  enum class Measures {
    host,   // the call itself
    wait,   // what the work that the call submits keeps a later wait busy
    own,    // the runtime's part of a call, beside the calls of the driver within it
    first,  // what a process's first call takes more than its later ones
  };
  struct Row {
    std::string function;           // without the version: cuMemAlloc
    std::set<std::string> classes;  // words that a call must have for the row to be about it
    std::string unit;               // of the points' positions: call, byte, resource or node
    Measures measures = Measures::host;
    std::vector<CostPoint> points;
  };
  std::string gpu, driver, host, method;
  std::vector<Row> rows;

  // Returns the rows of a function.
  std::vector<const Row*> rows_of(const std::string& function, Measures measures) const;
};

// Reads a table. Throws CostFileError, which says what is wrong and where.
CostTable read_cost_table(const std::string& path);
// The same from a text; `name` is for messages.
CostTable parse_cost_table(const std::string& text, const std::string& name);

// Returns the path of the table that came with this command. Throws CostFileError if it is not
// there.
std::string standard_cost_table();

}  // namespace cuvette::tools
