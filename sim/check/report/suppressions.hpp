// SPDX-License-Identifier: Apache-2.0
// Suppressions: reports that the user does not want. Baseline: reports that were known before.
//
// Threads: any, once they are made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// Patterns for reports that are not made, from the file that `knob` (CUVETTE_SUPPRESS) names, one
// per line, or else from `knob` itself, separated by commas. A pattern is an identifier; a `*` at
// its end matches any rest. After a colon comes a place: only reports that name it are suppressed.
// A pattern that begins with "fun:" or "lib:" suppresses reports of all kinds.
class Suppressions {
 public:
  explicit Suppressions(const std::string& knob);
  // Whether all reports of that kind are suppressed; whether this report is, because of its places.
  bool match(std::string_view identifier) const;
  bool match(const Report& report) const;
  // Returns what is wrong with them, as the end of a sentence that begins with "CUVETTE_SUPPRESS
  // is"; empty if each matches a report.
  std::string complaint() const;

 private:
  void add(std::string_view pattern);
  std::vector<std::string> patterns_;
  std::string missing_file_;
};

// The fingerprints in a file that `cuvette run --write-baseline` has made: each is the first word
// of its line.
class Baseline {
 public:
  explicit Baseline(const std::string& file);
  bool has(const Report& report) const;
  // Returns what is wrong with the file, as the end of a sentence that begins with
  // "CUVETTE_BASELINE is"; empty if nothing is.
  std::string complaint() const { return complaint_; }

 private:
  std::vector<std::string> fingerprints_;  // sorted
  std::string complaint_;
};

// How a baseline file begins.
inline constexpr std::string_view baseline_head = "# Known reports of Cuvette";

}  // namespace cuvette::check
