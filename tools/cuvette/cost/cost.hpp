// SPDX-License-Identifier: Apache-2.0
// `cuvette cost`: what a program's calls would cost on a GPU.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/cuvette/run.hpp"

namespace cuvette::tools {

struct CostOptions {
  RunOptions run;
  std::string from;                  // a folder of records; empty: the program is run
  std::string table;                 // a file; empty: the one that came with the command
  std::string calls;                 // a file for one line about each call; empty: none
  std::vector<std::string> compare;  // two results of --json
  size_t limit = 20;                 // lines of text; 0: all
  bool json = false;

  bool needs_program() const { return from.empty() && compare.empty(); }
};

// Adds the command; parsing it fills the options.
CLI::App* add_cost(CLI::App& app, CostOptions& options);

// Returns the program's exit status, or one of the command's own.
int cost(const CostOptions& options);

}  // namespace cuvette::tools
