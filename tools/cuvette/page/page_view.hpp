// SPDX-License-Identifier: Apache-2.0
// PageView: what a page shows of one run.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// A further table below a view: the counts of a profile, for example. What is said of each row is
// empty, or has an entry for each.
struct PageTable {
  struct Column {
    std::string title;
    bool is_number = false;  // aligned to the right, with a bar that compares the rows
  };
  std::string title;
  std::string explanation;  // a sentence above it; may be empty
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column; numbers as 12.5
  std::vector<std::string> notes = {};         // lines that are shown when a row is selected
  std::vector<std::string> kernels = {};       // whose launches a row is about, by Command::name
};

// How a run ended, where that is known: above its reports.
struct PageOutcome {
  bool is_failure = false;
  std::string sentence;            // "The program failed: exit status 1."; empty: nothing is shown
  std::vector<std::string> facts;  // further sentences
  std::string output;              // the end of what the program printed
  std::string repeat;              // the command that repeats it
};

struct PageView {
  const Record* record = nullptr;
  std::string title;
  std::vector<PageTable> tables;
  PageOutcome outcome = {};
};

}  // namespace cuvette::tools
