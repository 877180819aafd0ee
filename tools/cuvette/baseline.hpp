// SPDX-License-Identifier: Apache-2.0
// Baseline files: known reports, which do not fail later runs.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

#include "sim/check/report/report_summary.hpp"

namespace cuvette::tools {

// Returns the content of a file with these reports, each once. The order of `reports` does not
// matter; hints are left out.
std::string baseline_of(const std::vector<check::ReportSummary>& reports);

}  // namespace cuvette::tools
