// SPDX-License-Identifier: Apache-2.0
// PageView: what a page shows of one run.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// A further table below a view: the counts of a profile, for example.
struct PageTable {
  struct Column {
    std::string title;
    bool is_number = false;  // aligned to the right, with a bar that compares the rows
  };
  std::string title;
  std::string explanation;  // a sentence above it; may be empty
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column; numbers as 12.5
};

struct PageView {
  const Record* record = nullptr;
  std::string title;
  std::vector<PageTable> tables;
};

}  // namespace cuvette::tools
