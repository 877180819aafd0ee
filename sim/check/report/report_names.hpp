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

// The two parts of a pattern, separated by a colon; the place is empty if there is no colon. A
// pattern that begins with "fun:" or "lib:" is a place, for reports of any kind.
struct SplitPattern {
  std::string_view kind, place;
};
inline SplitPattern split_pattern(std::string_view pattern) {
  if (pattern.starts_with("fun:") || pattern.starts_with("lib:")) return {"*", pattern};
  const size_t colon = pattern.find(':');
  if (colon == std::string_view::npos) return {pattern, ""};
  return {pattern.substr(0, colon), pattern.substr(colon + 1)};
}

// Returns what is wrong with a pattern, as the end of a sentence that begins with "CUVETTE_SUPPRESS
// is"; empty if it matches a kind of report. A pattern is a name, or the beginning of names and a
// `*`; a colon and a place may follow.
inline std::string pattern_complaint(std::string_view pattern) {
  const auto [kind, place] = split_pattern(pattern);
  if (kind.size() < pattern.size() &&
      (place.empty() || place.ends_with("fun:") || place.ends_with("lib:")))
    return "'" + std::string(pattern) + "', in which no function or file follows the colon";
  const bool open = kind.ends_with('*');
  const std::string_view name = kind.substr(0, kind.size() - (open ? 1 : 0));
  std::vector<std::string_view> names;
  for (const ReportKind& one : report_kinds) names.emplace_back(one.identifier);
  if (std::ranges::any_of(
          names, [&](std::string_view one) { return open ? one.starts_with(name) : one == name; }))
    return "";
  const std::string near = nearest(name, names);
  return "'" + std::string(pattern) + "', which is not the name of a report" +
         (near.empty() ? "; docs/reports.md lists them" : ": did you mean '" + near + "'?");
}

// Whether CUVETTE_SUPPRESS, which is not an existing file, was meant to name one: a file of source
// code comes after a colon.
inline bool names_missing_file(std::string_view knob) {
  return knob.substr(0, knob.find_first_of(":,")).find('/') != std::string_view::npos;
}

// Whether the reports form one document with a closing part, to which text cannot simply be
// appended.
constexpr bool is_document(ReportFormat format) {
  return format == ReportFormat::sarif || format == ReportFormat::junit ||
         format == ReportFormat::gitlab;
}

// Returns what each report in such a document has once, and nothing else has; empty: every byte of
// the file comes from a report.
constexpr std::string_view entry_mark(ReportFormat format) {
  if (!is_document(format)) return "";
  if (format == ReportFormat::gitlab) return "\"fingerprint\":";
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
