// SPDX-License-Identifier: Apache-2.0
// Baseline files: reports that are known, and no failure of later runs.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

#include "sim/check/report/report_summary.hpp"

namespace cuvette::tools {

// Returns the content of a file that has these reports, each once, in an order that does not depend
// on the order of theirs; hints are left out.
std::string baseline_of(const std::vector<check::ReportSummary>& reports);

}  // namespace cuvette::tools
