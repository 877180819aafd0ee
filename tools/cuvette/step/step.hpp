// SPDX-License-Identifier: Apache-2.0
// `cuvette step`: shows a program command by command, and lets the user choose the order.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/cuvette/run.hpp"

namespace cuvette::tools {

struct StepOptions {
  RunOptions run;
  std::vector<std::string> watches;
  double timeout = 0;  // of a run, in seconds; 0: ten times what the first needs, and 5 more
  bool plain = false;  // lines instead of a screen
};

// Adds the command; parsing it fills `options`.
CLI::App* add_step(CLI::App& app, StepOptions& options);

// Returns 0 when the user has left; 1 if a line of --plain was refused, 2 if the program did not do
// the same again; 126 or 127 if it cannot be started, status_own_failure if nothing can be shown,
// 128 + N if signal N ended it.
int step(StepOptions options);

}  // namespace cuvette::tools
