// SPDX-License-Identifier: Apache-2.0
// `cuvette top`: which processes use the devices now.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cuvette::tools {

struct TopOptions {
  bool once = false;
  bool json = false;
  std::string process_register;  // as CUVETTE_REGISTER; empty: what that says
};

// Adds the command; parsing it fills `options`.
CLI::App* add_top(CLI::App& app, TopOptions& options);

// Prints the processes: once, or each second on a terminal until q is pressed. Returns the exit
// status.
int top(const TopOptions& options);

}  // namespace cuvette::tools
