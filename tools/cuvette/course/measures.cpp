// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/measures.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/cuvette/course/counts.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {

ReportedRun run_with_checks(const ExerciseProgram& program, const std::string& checks,
                            const ExerciseProgram::Environment& more) {
  ReportedRun run;
  const std::string file = program.scratch_file("reports");
  ExerciseProgram::Environment environment = {
      {"CUVETTE_CHECK", checks}, {"CUVETTE_REPORT", file}, {"CUVETTE_REPORT_FORMAT", "json"}};
  environment.insert(environment.end(), more.begin(), more.end());
  run.ended = program.run(environment);
  std::istringstream lines(whole_file(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("report") && json["report"].is_string())
      run.reports.emplace_back(json["report"], json.value("sentence", ""));
  }
  return run;
}

Measured measure(const ExerciseProgram& program, const std::string& count,
                 const std::string& kernel) {
  const std::string folder = program.scratch_file("counts");
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  const bool records = is_count_of_record(count);
  const Ended ended = program.run({{records ? "CUVETTE_RECORD" : "CUVETTE_PROFILE", folder}});
  if (!ended.passed())
    return {std::nullopt, "While it was counted, the program failed: its status was " +
                              std::to_string(ended.status) + "."};
  if (records) return {count_in(read_record(folder), count), ""};
  const auto value = count_in(read_profile(folder), count, kernel);
  if (!value)
    return {std::nullopt, kernel.empty()
                              ? "The program ran no kernel."
                              : "The program ran no kernel with `" + kernel + "` in its name."};
  return {value, ""};
}

}  // namespace cuvette::tools
