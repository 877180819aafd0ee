// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/report_summary.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/base/config.hpp"
#include "sim/check/report/project_path.hpp"
#include "sim/check/report/report_frames.hpp"
#include "sim/check/report/report_identity.hpp"
#include "sim/check/report/report_place.hpp"
#include "sim/check/report/report_places.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {
namespace {

// Returns the name of the script or module that this process's Python runs; empty if it has none.
std::string script() {
  std::ifstream in("/proc/self/cmdline");
  std::string word;
  std::getline(in, word, '\0');  // the interpreter
  while (std::getline(in, word, '\0')) {
    if (word == "-c" || word == "-") return "";
    if (word == "-m") return std::getline(in, word, '\0') ? word : "";
    if (!word.starts_with('-')) return std::string(last_part(word));
  }
  return "";
}

std::string name_of_this_program() {
  std::string name(last_part(os::program()));
  if (!name.starts_with("python")) return name;
  std::string of_script = script();
  return of_script.empty() ? name : of_script;
}

// "(anonymous namespace)::Suite_Name_Test::TestBody()" -> "Suite_Name".
std::string gtest_name(std::string_view function) {
  constexpr std::string_view body = "_Test::TestBody";
  function = without_parameters(function);
  if (!function.ends_with(body)) return "";
  function.remove_suffix(body.size());
  const size_t scope = function.rfind("::");
  return std::string(scope == std::string_view::npos ? function : function.substr(scope + 2));
}

}  // namespace

std::string test_of(const Report& report) {
  std::string name = config().test;
  if (name.empty())
    name = report.program.empty() ? name_of_this_program() : std::string(last_part(report.program));
  for (const Fact& fact : report.facts) {
    if (!std::string_view(fact.key).ends_with(" at")) continue;
    for (const std::string_view frame : frames_of(text_of(fact)))
      if (const std::string test = gtest_name(frame_of(frame).function); !test.empty())
        return name + "." + test;
  }
  return name;
}

ReportSummary summary_of(const Report& report) {
  ReportSummary summary{kind(report.id).identifier,
                        report.sentence,
                        report.text(),
                        test_of(report),
                        "",
                        0,
                        fingerprint_of(report),
                        suppression_of(report),
                        kind(report.id).is_hint};
  if (const std::vector<FactPlace> places = places_of(report); !places.empty()) {
    summary.file = project_path(places[0].place.file);
    summary.line = places[0].place.line;
  }
  return summary;
}

std::string as_json(const ReportSummary& summary) {
  nlohmann::ordered_json json;
  json["report"] = summary.identifier;
  json["sentence"] = summary.sentence;
  json["text"] = summary.text;
  json["test"] = summary.test;
  json["file"] = summary.file;
  json["line"] = summary.line;
  json["fingerprint"] = summary.fingerprint;
  json["to suppress"] = summary.suppression;
  json["hint"] = summary.is_hint;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace cuvette::check
