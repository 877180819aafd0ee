// SPDX-License-Identifier: Apache-2.0
// The names that CUVETTE_SUPPRESS may hold, and which formats want a file; for the library, and for
// the `cuvette` command, which uses only data of this room.
//
// Threads: any; a pure function.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/knob_kinds.hpp"
#include "sim/check/report/report_kinds.hpp"

namespace cuvette::check {

// Returns what is wrong with a name, or with the beginning of names before a `*`, either of which a
// colon and a place may follow, as the end of a sentence that begins with "CUVETTE_SUPPRESS is";
// empty if there is such a report.
inline std::string pattern_complaint(std::string_view pattern) {
  if (const size_t colon = pattern.find(':'); colon != std::string_view::npos) {
    if (colon + 1 == pattern.size())
      return "'" + std::string(pattern) + "', in which no function or file follows the colon";
    pattern = pattern.substr(0, colon);
  }
  const bool open = pattern.ends_with('*');
  const std::string_view name = pattern.substr(0, pattern.size() - (open ? 1 : 0));
  std::vector<std::string_view> names;
  for (const ReportKind& kind : report_kinds) names.emplace_back(kind.identifier);
  if (std::ranges::any_of(
          names, [&](std::string_view one) { return open ? one.starts_with(name) : one == name; }))
    return "";
  const std::string near = nearest(name, names);
  return "'" + std::string(pattern) + "', which is not the name of a report" +
         (near.empty() ? "; docs/reports.md lists them" : ": did you mean '" + near + "'?");
}

// Whether reports are one document, which has an end, and not text that can be appended to.
constexpr bool is_document(ReportFormat format) {
  return format == ReportFormat::sarif || format == ReportFormat::junit;
}

// Returns what each report in such a document has once, and nothing else has; empty: every byte of
// the file comes from a report.
constexpr std::string_view entry_mark(ReportFormat format) {
  if (!is_document(format)) return "";
  return format == ReportFormat::sarif ? "\"ruleId\":" : "<failure ";
}

// Returns what is wrong where CUVETTE_REPORT names no file; empty if nothing is.
inline std::string format_complaint(ReportFormat format) {
  if (!is_document(format)) return "";
  return "CUVETTE_REPORT_FORMAT is '" +
         std::string(parts_of(words_of(format), ',')[static_cast<size_t>(format)]) +
         "', a document, but CUVETTE_REPORT does not name a file for it.";
}

}  // namespace cuvette::check
