// SPDX-License-Identifier: Apache-2.0
// Predictions: the answer is computed from the program, never stored.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tools/cuvette/course/grading.hpp"
#include "tools/cuvette/course/measures.hpp"
#include "tools/cuvette/course/program.hpp"
#include "tools/cuvette/temporary_folder.hpp"

namespace cuvette::tools {
namespace {

using Json = nlohmann::json;

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

ComputedAnswer values_of(const ExerciseProgram& program, const GradeSettings& settings) {
  constexpr double most_seconds = 120;
  std::vector<std::string> command = {"explore", "--outputs", "--time=110"};
  if (settings.jobs > 0) command.push_back("--jobs=" + std::to_string(settings.jobs));
  const Ended ended = program.run_by(command, most_seconds);
  const Json json = Json::parse(ended.output, nullptr, false);
  if (!json.is_object() || !json.contains("outputs"))
    return {{}, "The program's orders could not be run: " + trimmed(ended.errors)};
  std::set<std::string> lines;
  for (const Json& one : json["outputs"]) {
    std::istringstream in(one.value("output", ""));
    for (std::string line; std::getline(in, line);)
      if (std::string text = trimmed(line); !text.empty()) lines.insert(std::move(text));
  }
  return {{lines.begin(), lines.end()}, json.value("why not", "")};
}

ComputedAnswer reports_of(const ExerciseProgram& program, const std::string& checks) {
  const ReportedRun run = run_with_checks(program, checks, {});
  std::set<std::string> identifiers;
  for (const auto& [identifier, sentence] : run.reports) identifiers.insert(identifier);
  if (identifiers.empty()) identifiers.insert("none");
  return {{identifiers.begin(), identifiers.end()}, ""};
}

std::string number(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.10g", value);
  return text;
}

// A number as people write it; nothing if it is none.
std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_count_answer(const std::vector<std::string>& lines, const std::string& answer,
                     std::string& how) {
  // Quotients are rounded when they are written down.
  constexpr double tolerance = 0.005;
  if (lines.size() != 1) {
    how = "The answer is one number.";
    return false;
  }
  const auto given = number_of(lines.front()), right = number_of(answer);
  if (!given) {
    how = "'" + lines.front() + "' is not a number.";
    return false;
  }
  if (right && std::abs(*given - *right) <= tolerance * std::abs(*right)) return true;
  how = lines.front() + (right && *given < *right ? " is too low." : " is too high.");
  return false;
}

}  // namespace

std::vector<std::string> lines_of_answer(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (std::string word = trimmed(line); !word.empty() && word.front() != '#')
      lines.push_back(std::move(word));
  return lines;
}

ComputedAnswer compute_answer(const Exercise& exercise, const Prediction& prediction,
                              const std::filesystem::path& submission,
                              const GradeSettings& settings) {
  const TemporaryFolder folder("cuvette-answer-XXXXXX");
  if (folder.path().empty()) return {{}, "There is no folder for temporary files."};
  ExerciseProgram program(exercise, folder.path(), settings.compiler);
  const Ended compiled = program.compile(submission);
  if (!compiled.passed())
    return {{}, "The program does not compile: " + compiled.errors + compiled.output};
  switch (prediction.kind) {
    case Prediction::Kind::values:
      return values_of(program, settings);
    case Prediction::Kind::report:
      return reports_of(program, prediction.checks);
    case Prediction::Kind::count:
      break;
  }
  const Measured measured = measure(program, prediction.count, prediction.kernel);
  if (!measured.value) return {{}, measured.problem};
  return {{number(*measured.value)}, ""};
}

bool is_answer(const std::vector<std::string>& lines, const ComputedAnswer& answer,
               const Prediction& prediction, std::string& how) {
  if (prediction.kind == Prediction::Kind::count)
    return is_count_answer(lines, answer.lines.empty() ? "" : answer.lines.front(), how);
  const std::set<std::string> given(lines.begin(), lines.end()),
      right(answer.lines.begin(), answer.lines.end());
  if (given == right) return true;
  const auto hits = static_cast<size_t>(
      std::ranges::count_if(given, [&](const auto& line) { return right.contains(line); }));
  if (given.empty()) {
    how = "There is no answer yet: each line is one.";
    return false;
  }
  how = std::to_string(hits) + " of " + std::to_string(given.size()) +
        (given.size() == 1 ? " line is right" : " lines are right");
  if (hits == given.size() || hits < right.size())
    how += hits < right.size() ? ", and " + std::to_string(right.size() - hits) + " missing" : "";
  how += ".";
  return false;
}

}  // namespace cuvette::tools
