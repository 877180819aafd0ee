// SPDX-License-Identifier: Apache-2.0
// Runs a program for `cuvette run`, waits for its end, and summarises its processes.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

struct WatchOptions {
  int error_status = 0;         // for a program that ends with 0 after a report
  bool requires_use = false;    // at least one process must use Cuvette
  bool is_quiet = false;        // do not say how many did
  bool begins_anew = false;     // remove the reports of earlier runs from the file
  bool for_github = false;      // print GitHub's commands, and write the job's summary
  std::string gitlab;           // a Code Quality file; empty: none
  bool appends_gitlab = false;  // add to it
  std::string write_baseline;   // a file for the reports that were made; empty: none
  std::string library_folder;
};

// Becomes the program; returns only if that fails, one of the statuses of `cuvette run`.
int become(const std::vector<std::string>& program);

// Runs the program in its own process, with the environment as it is. Returns its exit status, or
// one of `cuvette run`.
int watch(const std::vector<std::string>& program, const WatchOptions& options);

// Says why a program was not started, as `cuvette COMMAND` does; returns the exit status.
int complain_of_start(const char* command, const char* program, int failure);

}  // namespace cuvette::tools
