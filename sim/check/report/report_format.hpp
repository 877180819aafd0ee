// SPDX-License-Identifier: Apache-2.0
// How a report is written for other programs: as an entry of a document (SARIF, JUnit), or as a
// command of GitHub's workflows. Report itself knows text and JSON.
//
// Threads: any; pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/choices.hpp"
#include "sim/check/report/report_names.hpp"
#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Returns the report as what is appended to a file.
std::string appended_text(ReportFormat format, const Report& report);

// Returns `document` with one more entry; without a report, an empty document if there is none.
// Each entry is on its own line. Nothing if `document` is not a document of this kind.
std::optional<std::string> with_report(ReportFormat format, std::string_view document,
                                       const Report* report);

// Returns `::error file=...,line=...,title=...::...` and a newline; for a hint, `::notice`.
std::string github_command(const Report& report);

}  // namespace cuvette::check
