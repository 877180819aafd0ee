// SPDX-License-Identifier: Apache-2.0
// ReportSummary: one report in a list: the JSON that processes pass to the `cuvette run` that
// started them, and the parts that test runners and code hosts show.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

struct ReportSummary {
  std::string identifier;
  std::string sentence;
  std::string text;  // all of it, in lines
  std::string test;  // see test_of()
  std::string file;  // of the source, relative to its project; empty if unknown
  uint64_t line = 0;
  std::string fingerprint;
  std::string suppression;  // the pattern that suppresses it
  bool is_hint = false;
};
ReportSummary summary_of(const Report& report);

// Returns the summary as one line of JSON, without a newline.
std::string as_json(const ReportSummary& summary);

// Returns the name of the test that the report is about: CUVETTE_TEST, or else the name of the
// program, or of a Python program's script; and, after a dot, the GoogleTest test that a stack
// names.
std::string test_of(const Report& report);

}  // namespace cuvette::check
