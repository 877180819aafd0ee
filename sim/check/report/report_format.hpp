// SPDX-License-Identifier: Apache-2.0
// How a report is written for other programs: as an entry of a document (SARIF, JUnit, GitLab's
// Code Quality), or as a command of GitHub's workflows. Report itself knows text and JSON.
//
// Threads: any; pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/base/choices.hpp"
#include "sim/check/report/report_names.hpp"
#include "sim/check/report/report_summary.hpp"
#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Returns the report as what is appended to a file.
std::string appended_text(ReportFormat format, const Report& report);

// A document is a head, an entry on each line, and an end, each with its newline.
struct DocumentForm {
  std::string head;          // the beginning of the first line
  std::string_view between;  // the end of each entry except the last
  std::string_view end;      // the last line
  std::string_view empty;    // the entry of a document without reports; may be empty
  std::string_view opens;    // the beginning of each entry
  std::string_view closes;   // the end of each entry
};
const DocumentForm& form_of(ReportFormat format);

// Returns the whole first line, which has the same length for any number of entries.
std::string document_head(ReportFormat format, size_t entries);

// Returns the report as a line of the document.
std::string document_entry(ReportFormat format, const Report& report);

// Returns the line of a document of GitLab's Code Quality.
std::string gitlab_issue(const ReportSummary& report);

// Returns the part of an entry that must be unique: the name of a JUnit case, or the fingerprint by
// which GitLab knows a mistake; empty if entries may repeat.
std::string_view key_of_entry(ReportFormat format, std::string_view entry);

// Returns `::error file=...,line=...,title=...::...` and a newline; for a hint, `::notice`.
std::string github_command(const ReportSummary& report);

}  // namespace cuvette::check
