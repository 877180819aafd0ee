// SPDX-License-Identifier: Apache-2.0
// Output for GitHub: commands that mark lines of source, and the summary of the job.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

#include "sim/check/report/report_summary.hpp"

namespace cuvette::tools {

// Returns the commands for the ten worst mistakes, each at the beginning of a line, and a line that
// says how many more there are. GitHub shows ten errors of a step.
std::string github_commands(const std::vector<check::ReportSummary>& reports);

// Returns Markdown with all of them; `count` says how many processes used Cuvette.
std::string github_summary(const std::vector<check::ReportSummary>& reports,
                           const std::string& count);

}  // namespace cuvette::tools
