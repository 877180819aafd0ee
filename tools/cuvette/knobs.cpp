// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/knobs.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "sim/base/config.hpp"
#include "sim/check/report/report_names.hpp"
#include "sim/check/report/suppressions.hpp"
#include "sim/exec/schedule.hpp"
#include "tools/cuvette/info.hpp"

namespace cuvette::tools {
namespace {

// The library reads the file.
std::string suppress_complaint(const std::string& value) {
  std::error_code failure;
  if (std::filesystem::is_regular_file(value, failure)) return "";
  if (check::names_missing_file(value)) return "'" + value + "', which does not exist";
  std::istringstream names(value);
  for (std::string name; std::getline(names, name, ',');) {
    if (name.empty()) continue;
    if (std::string wrong = check::pattern_complaint(name); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string knob_complaint(const std::string& variable, const std::string& value) {
  if (variable == "CUVETTE_DEVICE") return profile_complaint(value);
  if (variable == "CUVETTE_SUPPRESS") return suppress_complaint(value);
  if (variable == "CUVETTE_BASELINE") return check::Baseline(value).complaint();
  if (variable == "CUVETTE_SCHEDULE") {
    if (value == exec::Schedule::concurrent || exec::Schedule::parse(value)) return "";
    return "'" + value + "', and not " + std::string(exec::Schedule::wanted());
  }
  return value_complaint(variable, value);
}

std::string knobs_complaint() {
  if (std::string wrong = environment_complaint(); !wrong.empty()) return wrong;
  for (const Knob& knob : knobs()) {
    const char* const value = getenv(knob.variable);
    if (!value || !*value) continue;
    if (const std::string wrong = knob_complaint(knob.variable, value); !wrong.empty())
      return std::string(knob.variable) + " is " + wrong + ".";
  }
  const char* const report = getenv("CUVETTE_REPORT");
  const char* const format = getenv("CUVETTE_REPORT_FORMAT");
  if (!format || (report && *report)) return "";
  const auto known = knob::OneOf<ReportFormat>::parse(format);
  return known ? check::format_complaint(*known) : "";
}

void make_paths_absolute() {
  for (const Knob& knob : knobs()) {
    const char* const value = getenv(knob.variable);
    if (!value || !*value || *value == '/' || !knob.names_path || !knob.names_path(value)) continue;
    std::error_code failure;
    const auto path = std::filesystem::absolute(value, failure);
    if (!failure) setenv(knob.variable, path.c_str(), 1);
  }
}

}  // namespace cuvette::tools
