// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/grade_text.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

namespace cuvette::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr size_t most_output = 500;  // characters

std::string indented(const std::string& text, const char* before) {
  std::string all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all += before + line + "\n";
  return all;
}

std::string names_of(const std::vector<CheckKind>& kinds) {
  std::string text;
  for (size_t i = 0; i < kinds.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::string(name_of(kinds[i]));
  return text;
}

std::string counted(size_t count, const char* one, const char* more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

std::string hint_line(const Exercise& exercise, size_t taken) {
  if (exercise.hints.empty()) return "";
  if (taken >= exercise.hints.size())
    return "You have had all " + std::to_string(taken) + " hints.\n";
  return "Hint " + std::to_string(taken + 1) + " of " + std::to_string(exercise.hints.size()) +
         ": cuvette learn hint " + exercise.id + "\n";
}

std::string message_of(const Failure& failure) {
  std::string text = failure.says;
  for (const std::string* part : {&failure.details, &failure.picture, &failure.edge})
    if (!part->empty()) text += (text.empty() ? "" : "\n") + *part;
  if (!failure.repeat.empty()) text += "\nRepeat it: " + failure.repeat;
  return text;
}

// Characters that XML 1.0 does not have become question marks.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (byte < 0x20 && c != '\n' && c != '\t')
      out += '?';
    else
      out += c;
  }
  return out;
}

// The text with bytes that are no UTF-8 replaced.
std::string valid_utf8(const std::string& text) {
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(quoted).get<std::string>();
}

}  // namespace

std::string cut_output(const std::string& output) {
  if (output.size() <= most_output) return output;
  size_t end = most_output;
  while (end > 0 && (static_cast<unsigned char>(output[end]) & 0xc0) == 0x80) --end;
  return output.substr(0, end) + "\n[" + std::to_string(output.size() - end) +
         " more characters were left out]\n";
}

std::string text_of(const Exercise& exercise, const Grade& grade, size_t hints_taken) {
  std::string text = exercise.id + ": " + exercise.title + "\n";
  if (grade.verdict == Grade::Verdict::not_gradable)
    return text + "It cannot be graded. " + grade.why + "\n";
  if (grade.verdict == Grade::Verdict::passed)
    return text + "The " + counted(grade.passed.size(), "check", "checks") +
           " of this exercise pass: " + names_of(grade.passed) + ".\n";
  const Failure& failure = *grade.failure;
  text += "\n" +
          (failure.says.empty() ? "The check `" + std::string(name_of(failure.kind)) + "` fails."
                                : failure.says) +
          "\n";
  if (!failure.details.empty()) text += "\n" + failure.details + "\n";
  if (!failure.output.empty())
    text += std::string("\n") +
            (failure.kind == CheckKind::compile ? "The compiler says:\n" : "It printed:\n") +
            indented(cut_output(failure.output), "  | ");
  if (!failure.picture.empty()) text += "\nThe order:\n\n" + failure.picture;
  if (!failure.edge.empty()) text += "\n" + failure.edge + "\n";
  if (!failure.repeat.empty()) text += "\nRepeat it:\n  " + failure.repeat + "\n";
  text += "\n" + hint_line(exercise, hints_taken);
  text += "Failed: " + std::string(name_of(failure.kind)) + ".";
  if (!grade.passed.empty()) text += " Passed before it: " + names_of(grade.passed) + ".";
  if (grade.not_run > 0) text += " Not run yet: " + counted(grade.not_run, "check", "checks") + ".";
  return text + "\n";
}

std::string json_of(const Exercise& exercise, const Grade& grade) {
  const bool compiled = !grade.failure || grade.failure->kind != CheckKind::compile;
  OrderedJson json = {{"version", 3}};
  json["status"] = grade.verdict == Grade::Verdict::passed               ? "pass"
                   : grade.verdict == Grade::Verdict::failed && compiled ? "fail"
                                                                         : "error";
  if (grade.verdict == Grade::Verdict::not_gradable) json["message"] = grade.why;
  if (!compiled) json["message"] = grade.failure->says + "\n" + grade.failure->output;
  json["tests"] = OrderedJson::array();
  size_t task = 0;
  for (const CheckKind kind : grade.passed)
    json["tests"].push_back({{"name", name_of(kind)}, {"status", "pass"}, {"task_id", ++task}});
  if (grade.failure) {
    const Failure& failure = *grade.failure;
    OrderedJson test = {{"name", name_of(failure.kind)}, {"status", compiled ? "fail" : "error"}};
    test["message"] = message_of(failure);
    if (!failure.output.empty()) test["output"] = cut_output(failure.output);
    test["task_id"] = ++task;
    json["tests"].push_back(std::move(test));
  }
  // Beyond that format.
  json["exercise"] = exercise.id;
  json["verdict"] = grade.verdict == Grade::Verdict::passed   ? "passed"
                    : grade.verdict == Grade::Verdict::failed ? "failed"
                                                              : "not gradable";
  json["not_run"] = grade.not_run;
  if (grade.failure) {
    json["failed"] = name_of(grade.failure->kind);
    if (!grade.failure->report.empty()) json["report"] = grade.failure->report;
    if (!grade.failure->reports.empty()) json["reports"] = grade.failure->reports;
  }
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string junit_of(const std::vector<GradedExercise>& graded) {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string suites;
  for (const GradedExercise& one : graded) {
    const Grade& grade = one.grade;
    const size_t failed = grade.failure ? 1 : 0;
    const size_t error = grade.verdict == Grade::Verdict::not_gradable ? 1 : 0;
    const size_t count = grade.passed.size() + failed + error + (error ? 0 : grade.not_run);
    char time[32];
    snprintf(time, sizeof time, "%.3f", one.seconds);
    std::string cases;
    const auto begin = [&](const std::string& name) {
      cases += "    <testcase classname=\"" + xml(valid_utf8(one.id)) + "\" name=\"" + name + "\"";
    };
    for (const CheckKind kind : grade.passed) {
      begin(name_of(kind));
      cases += "/>\n";
    }
    if (grade.failure) {
      begin(name_of(grade.failure->kind));
      cases +=
          ">\n      <failure message=\"" + xml(valid_utf8(grade.failure->says)) + "\">" +
          xml(valid_utf8(message_of(*grade.failure) + "\n" + cut_output(grade.failure->output))) +
          "</failure>\n    </testcase>\n";
      for (size_t i = 0; i < grade.not_run; ++i) {
        begin("not run " + std::to_string(i + 1));
        cases += "><skipped/></testcase>\n";
      }
      skipped += grade.not_run;
    }
    if (error) {
      begin("grade");
      cases += "><error message=\"" + xml(valid_utf8(grade.why)) + "\"/></testcase>\n";
    }
    suites += "  <testsuite name=\"" + xml(valid_utf8(one.id)) + "\" tests=\"" +
              std::to_string(count) + "\" failures=\"" + std::to_string(failed) + "\" errors=\"" +
              std::to_string(error) + "\" skipped=\"" +
              std::to_string(grade.failure ? grade.not_run : 0) + "\" time=\"" + time + "\">\n" +
              cases + "  </testsuite>\n";
    tests += count;
    failures += failed;
    errors += error;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"" +
         std::to_string(tests) + "\" failures=\"" + std::to_string(failures) + "\" errors=\"" +
         std::to_string(errors) + "\" skipped=\"" + std::to_string(skipped) + "\">\n" + suites +
         "</testsuites>\n";
}

}  // namespace cuvette::tools
