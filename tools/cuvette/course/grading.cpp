// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/grading.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/exec/schedule.hpp"
#include "tools/cuvette/course/lanes_picture.hpp"
#include "tools/cuvette/course/measures.hpp"
#include "tools/cuvette/course/missing_edge.hpp"
#include "tools/cuvette/course/program.hpp"
#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/order.hpp"
#include "tools/cuvette/source_lines.hpp"
#include "tools/cuvette/temporary_folder.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string number(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", value);
  return text;
}

class Grader {
 public:
  Grader(const Exercise& exercise, const GradeSettings& settings)
      : exercise_(exercise),
        settings_(settings),
        folder_("cuvette-grade-XXXXXX"),
        program_(exercise, folder_.path(), settings.compiler) {}

  Grade grade();

 private:
  // A check returns whether it passes; otherwise it has filled failure_, or why_ if nothing can be
  // said.
  bool check(const Check& check);
  bool compile();
  bool output(const Check& check);
  bool reports(const Check& check);
  bool orders(const Check& check);
  bool aliases(const Check& check);
  bool budget(const Check& check);
  bool order(const Check& check);
  bool answer(const Check& check);

  bool fails(const Ended& ended, const char* how);
  void explain_order(const Json& answer);
  std::vector<Order::Row> rows_of(const std::string& log, const exec::Decisions& held) const;
  void draw(const std::vector<Order::Row>& rows, const std::set<std::string>& shown);

  const Exercise& exercise_;
  const GradeSettings& settings_;
  const TemporaryFolder folder_;
  ExerciseProgram program_;
  bool compiled_ = false;
  Failure failure_;
  std::string why_;
};

Grade Grader::grade() {
  Grade grade;
  const auto cannot = [&](std::string why) {
    grade.verdict = Grade::Verdict::not_gradable;
    grade.why = std::move(why);
    grade.not_run = exercise_.checks.size() - grade.passed.size();
    return grade;
  };
  if (folder_.path().empty()) return cannot("There is no folder for temporary files.");
  if (const std::string need = missing_need(exercise_); !need.empty())
    return cannot("The exercise needs " + need + ", which is not here.");
  std::error_code failure;
  if (!fs::is_regular_file(settings_.submission, failure))
    return cannot("The submission '" + settings_.submission.string() + "' is not a file.");
  for (const Check& one : exercise_.checks) {
    failure_ = {};
    if (check(one)) {
      grade.passed.push_back(one.kind);
      continue;
    }
    if (!why_.empty()) return cannot(why_);
    grade.verdict = Grade::Verdict::failed;
    if (failure_.says.empty()) failure_.says = one.says_of(failure_.report);
    grade.failure = std::move(failure_);
    grade.not_run = exercise_.checks.size() - grade.passed.size() - 1;
    return grade;
  }
  return grade;
}

bool Grader::check(const Check& check) {
  failure_.kind = check.kind;
  // A program is compiled even where no check says so.
  if (!compiled_ && check.kind != CheckKind::answer && !compile()) return false;
  failure_.kind = check.kind;
  switch (check.kind) {
    case CheckKind::compile:
      return true;
    case CheckKind::output:
      return output(check);
    case CheckKind::reports:
      return reports(check);
    case CheckKind::orders:
      return orders(check);
    case CheckKind::aliases:
      return aliases(check);
    case CheckKind::budget:
      return budget(check);
    case CheckKind::order:
      return order(check);
    case CheckKind::answer:
      return answer(check);
  }
  return false;
}

bool Grader::compile() {
  const Ended ended = program_.compile(exercise_.is_program() ? settings_.submission : fs::path());
  compiled_ = ended.passed();
  if (compiled_) return true;
  const std::string said = ended.errors + ended.output;
  if (!exercise_.is_program()) {
    why_ = "The program of the exercise does not compile: " + said;
    return false;
  }
  if (ended.status == status_own_failure || ended.status == status_not_found) {
    why_ = "The compiler could not be run: " + said;
    return false;
  }
  failure_.kind = CheckKind::compile;
  const Check* const own = exercise_.check(CheckKind::compile);
  failure_.says = own && !own->says_of("").empty() ? own->says_of("") : "It does not compile.";
  failure_.output = said;
  if (ended.timed_out) failure_.details = "The compiler did not end in time.";
  return false;
}

// Whether the run failed; then `how` introduces it.
bool Grader::fails(const Ended& ended, const char* how) {
  if (ended.passed()) return false;
  if (ended.status == status_own_failure && !ended.timed_out) {
    why_ = "The program could not be run: " + ended.errors;
    return true;
  }
  failure_.details = ended.describe(exercise_.seconds) + ".";
  if (!ended.timed_out)
    failure_.details.insert(0, how);
  else
    failure_.details.front() = 'I';
  failure_.output = ended.output + ended.errors;
  return true;
}

bool Grader::output(const Check&) {
  const Ended ended = program_.run({});
  return !fails(ended, "The program ended with ");
}

bool Grader::reports(const Check& check) {
  const ReportedRun run = run_with_checks(program_, check.checks, {});
  if (run.reports.empty()) return !fails(run.ended, "With Cuvette's checks it ended with ");
  // The lesson has a sentence for the mistake that it is about.
  auto told = std::ranges::find_if(run.reports,
                                   [&](const auto& one) { return check.says.contains(one.first); });
  if (told == run.reports.end()) told = run.reports.begin();
  failure_.report = told->first;
  for (const auto& [identifier, sentence] : run.reports)
    if (std::ranges::find(failure_.reports, identifier) == failure_.reports.end())
      failure_.reports.push_back(identifier);
  failure_.details = "[" + told->first + "] " + told->second;
  if (run.reports.size() > 1)
    failure_.details += "\nReports besides it: " + std::to_string(run.reports.size() - 1) + ".";
  return false;
}

bool Grader::aliases(const Check&) {
  const Ended ended = program_.run({{"CUVETTE_ALIASES", "adversary"}});
  return !fails(ended,
                "Where a kernel does not see by one address what it wrote by another, it ended "
                "with ");
}

bool Grader::budget(const Check& check) {
  const Measured measured = measure(program_, check.count, check.kernel);
  if (!measured.value) {
    failure_.details = measured.problem;
    return false;
  }
  // Counts are quotients of whole numbers.
  if (*measured.value <= check.most * (1 + 1e-9)) return true;
  failure_.details = check.count + (check.kernel.empty() ? "" : " of " + check.kernel) + ": " +
                     number(*measured.value) + ", and at most " + number(check.most) +
                     " are allowed.";
  return false;
}

// --- Orders --------------------------------------------------------------------------------------

void Grader::draw(const std::vector<Order::Row>& rows, const std::set<std::string>& shown) {
  constexpr size_t width = 96;
  failure_.picture = lanes_picture(rows, {settings_.utf8, width, shown});
}

std::vector<Order::Row> Grader::rows_of(const std::string& log, const exec::Decisions& held) const {
  return Order::parse(whole_file(log).value_or("")).rows(held);
}

void Grader::explain_order(const Json& answer) {
  std::vector<Order::Row> rows;
  for (const Json& one : answer.value("commands", Json::array()))
    rows.push_back({one.value("command", ""), one.value("what", ""), one.value("stream", ""),
                    one.value("called at", ""), one.value("began", false),
                    one.value("held back", false), one.value("turned", false)});
  const std::string decisions = answer.value("decisions", "");
  const std::string schedule =
      decisions.empty() ? answer.value("schedule", "eager") : "replay:" + decisions;
  if (settings_.keeps_program) failure_.repeat = program_.repeat_line(schedule);
  std::set<std::string> shown;
  for (const Order::Row& row : rows)
    if (row.held || row.turned) shown.insert(row.name);
  if (!rows.empty()) {
    const std::string log = program_.scratch_file("order");
    const Ended watched = program_.run(
        {{"CUVETTE_ORDER_LOG", log}, {"CUVETTE_CHECK", "footprints"}, {"CUVETTE_SUPPRESS", "*"}});
    const Order eager = Order::parse(whole_file(log).value_or(""));
    if (watched.started)
      if (const auto edge = missing_edge(eager, rows)) {
        failure_.edge = sentence_of(*edge);
        shown.insert(edge->first.name);
        if (!edge->by_host) shown.insert(edge->second.name);
      }
    draw(rows, shown);
  }
}

bool Grader::orders(const Check& check) {
  constexpr double most_seconds = 120;
  std::vector<std::string> command = {"explore", "--json", "--no-fail-report", "--time=100",
                                      "--timeout=" + number(exercise_.seconds)};
  if (check.differs) command.emplace_back("--differ");
  if (settings_.jobs > 0) command.push_back("--jobs=" + std::to_string(settings_.jobs));
  const Ended ended = program_.run_by(command, most_seconds);
  const Json answer = Json::parse(ended.output, nullptr, false);
  const std::string verdict = answer.is_object() ? answer.value("verdict", "") : "";
  if (verdict == "passed" && !answer.contains("stopped by")) return true;
  if (verdict == "passed" || ended.timed_out) {
    why_ = "There was no time to run the program in all of its orders.";
    return false;
  }
  if (verdict != "failed" && verdict != "not reproducible") {
    why_ = "The program's orders could not be run: " + ended.errors;
    return false;
  }
  failure_.details = "In order " + std::to_string(answer.value("order", 1)) + " of " +
                     std::to_string(answer.value("orders", 1)) + " it fails by " +
                     answer.value("failure", "") + ".";
  if (verdict != "failed") failure_.details += " It does not fail each time.";
  if (answer.contains("differences") && !answer["differences"].empty())
    failure_.details += "\n" + answer["differences"].front().get<std::string>();
  failure_.output = answer.value("output", "");
  explain_order(answer);
  return false;
}

// --- The learner's order and answer --------------------------------------------------------------

bool Grader::order(const Check& check) {
  const std::vector<std::string> lines =
      lines_of_answer(whole_file(settings_.submission.string()).value_or(""));
  if (lines.size() != 1 || !lines.front().starts_with("replay:") ||
      !exec::Schedule::parse(lines.front())) {
    failure_.details =
        "order.txt has to have one line: `replay:` and decisions, such as replay:1.1 or "
        "replay:2.1-3,1.4 (`cuvette run --schedule` takes the same). ";
    if (!lines.empty()) failure_.details += "It begins with `" + lines.front() + "`.";
    return false;
  }
  const std::string log = program_.scratch_file("order");
  const ExerciseProgram::Environment environment = {{"CUVETTE_SCHEDULE", lines.front()},
                                                    {"CUVETTE_ORDER_LOG", log}};
  bool broken = false;
  if (check.checks.empty()) {
    const Ended ended = program_.run(environment);
    broken = !ended.passed() && ended.status != status_own_failure;
    failure_.output = ended.output + ended.errors;
  } else {
    const ReportedRun run = run_with_checks(program_, check.checks, environment);
    broken = check.report.empty() ? !run.reports.empty() || !run.ended.passed()
                                  : std::ranges::any_of(run.reports, [&](const auto& one) {
                                      return one.first == check.report;
                                    });
    failure_.output = run.ended.output;
  }
  if (broken) return true;
  failure_.details = "In the order " + lines.front() + " the program passes" +
                     (check.report.empty() ? "." : ", or fails by another report.");
  const auto decisions = exec::Decisions::parse(lines.front().substr(lines.front().find(':') + 1));
  draw(rows_of(log, decisions.value_or(exec::Decisions{})), {});
  return false;
}

bool Grader::answer(const Check& check) {
  const ComputedAnswer computed = compute_answer(exercise_, check.prediction, {}, settings_);
  if (!computed.problem.empty()) {
    why_ = "The answer cannot be computed: " + computed.problem;
    return false;
  }
  return is_answer(lines_of_answer(whole_file(settings_.submission.string()).value_or("")),
                   computed, check.prediction, failure_.details);
}

bool can_load(const char* library) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

}  // namespace

std::string missing_need(const Exercise& exercise) {
  std::error_code failure;
  for (const std::string& need : exercise.needs) {
    if (need == "opengl" &&
        (!can_load("libEGL.so.1") || !fs::exists("/usr/include/EGL/egl.h", failure)))
      return "OpenGL (libEGL.so.1 and its headers: apt-get install libegl-dev libgl-dev)";
    if (need == "vulkan" &&
        (!can_load("libvulkan.so.1") || !fs::exists("/usr/include/vulkan/vulkan.h", failure)))
      return "Vulkan (libvulkan.so.1 and its headers: apt-get install libvulkan-dev)";
  }
  return "";
}

Grade grade_submission(const Exercise& exercise, const GradeSettings& settings) {
  return Grader(exercise, settings).grade();
}

}  // namespace cuvette::tools
