// SPDX-License-Identifier: Apache-2.0
// Reports of programs that use CUDA and do not run on Cuvette.
//
// Threads: for a process with one thread.
#pragma once

#include <cstddef>

#include "tools/cuvette/report_file.hpp"
#include "tools/cuvette/run_notes.hpp"

namespace cuvette::tools {

// Reports the programs in `notes` that missed Cuvette, unless the report is suppressed or known: on
// stderr, in `file` and to an outer `cuvette run`. Returns summaries of the reports.
std::vector<check::ReportSummary> report_missed(const RunNotes& notes, ReportFile& file);

}  // namespace cuvette::tools
