// SPDX-License-Identifier: Apache-2.0
// `cuvette run`: starts a program with Cuvette's libcuda.so.1 in front of any other.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/exit_statuses.hpp"

namespace cuvette::tools {

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> environment;  // variable, value
  std::vector<std::string> program;                              // and its arguments
  const char* command = "run";                                   // that messages name
  bool preload = false;
  bool watch_gl = true;          // report what OpenGL does to resources that CUDA has mapped
  bool becomes_program = false;  // this process becomes the program: nothing waits for its end
  // The rest is for `run` alone.
  bool requires_use = false;   // fail if no process used Cuvette
  bool is_quiet = false;       // do not say how many did
  bool appends = false;        // to the file of --report
  bool for_github = false;     // print commands for GitHub at the end, and write the job's summary
  std::string gitlab;          // a file of Code Quality for the reports that are made; empty: none
  std::string write_baseline;  // a file for the reports that are made; empty: none
};

// Runs the program. Returns its exit status (128 + N if signal N killed it) or one of the above;
// does not return if the process became the program.
int run(const RunOptions& options);

// Returns 0 if there is such a program; otherwise says why not, as `cuvette COMMAND` does, and
// returns one of the above.
int check_program(const std::string& program, const char* command);

}  // namespace cuvette::tools
