// SPDX-License-Identifier: Apache-2.0
// `cuvette explore`: runs a program under many schedules, and explains the first that it fails in.
//
// Threads: for a process with one thread.
#pragma once

#include <cstddef>
#include <string>

#include "tools/cuvette/explore_plan.hpp"
#include "tools/cuvette/run.hpp"

namespace cuvette::tools {

struct ExploreOptions {
  RunOptions run;
  PlanLimits limits;
  unsigned jobs = 0;   // 0: the number of cores
  double timeout = 0;  // of a run, in seconds; 0: ten times what the first needs, and 5 more
  std::string fails_by_output;  // a regular expression
  double time = 0;              // for all of it, in seconds; 0: as long as it takes
  bool fails_by_report = true;
  bool compares = false;  // a run fails if the host gets something else than in the first
  bool collects = false;  // all that the program prints; no run fails
  bool json = false;
  std::string page;  // a file that shows the failing order in a browser; empty: none
  size_t minimising_runs = 300;
};

// Returns 0 if the program fails in no schedule that was run, 1 if it does, 2 if it fails but not
// when the same schedule is repeated, 126 or 127 if it cannot be started, status_own_failure if
// nothing can be said, status_not_written if the page cannot be written, 128 + N if signal N
// stopped it before it found a failure. Under mpirun each rank runs a share of the schedules, and
// rank 0 reports.
int explore(ExploreOptions options);

}  // namespace cuvette::tools
