// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/self_test.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/course/course.hpp"
#include "tools/cuvette/course/grading.hpp"
#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/program_path.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

constexpr int case_seconds = 400;

// A submission, and how its grade must be.
struct Case {
  const Exercise* exercise = nullptr;
  std::string what;  // "start", "mutant off.cu"
  fs::path file;     // empty: the answers are computed
  bool passes = false;
  Promise promise;
};

struct Plan {
  std::vector<Case> cases;
  std::vector<std::string> wrong;  // what is wrong without a run
};

void plan(const Exercise& exercise, Plan& plan) {
  std::error_code failure;
  const auto add = [&](Case one) {
    if (!one.file.empty() && !fs::is_regular_file(one.file, failure))
      plan.wrong.push_back(exercise.id + " " + one.what + ": '" + one.file.string() +
                           "' is missing.");
    else
      plan.cases.push_back(std::move(one));
  };
  if (exercise.start.check.empty())
    plan.wrong.push_back(exercise.id +
                         " start: exercise.json does not say by which check it fails.");
  else
    add({&exercise, "start", exercise.folder / exercise.start_name(), false, exercise.start});
  // The answer to a prediction is computed; a solution is only needed to have it looked at.
  if (exercise.kind != ExerciseKind::predict || fs::exists(exercise.solution(), failure))
    add({&exercise, "solution", exercise.solution(), true, {}});
  for (const auto& [name, promise] : exercise.mutants)
    add({&exercise, "mutant " + name, exercise.folder / "mutants" / name, false, promise});
  for (auto one = fs::directory_iterator(exercise.folder / "mutants", failure);
       !failure && one != fs::directory_iterator(); one.increment(failure)) {
    const std::string name = one->path().filename().string();
    if (!exercise.mutants.contains(name))
      plan.wrong.push_back(exercise.id + " mutant " + name + ": exercise.json does not name it.");
  }
  if (exercise.question || exercise.kind == ExerciseKind::predict)
    add({&exercise, "answer", {}, true, {}});
}

// Returns what is wrong with the grade; empty: nothing.
std::string complaint(const Case& one, const Ended& ended) {
  if (ended.timed_out) return "was not graded within " + std::to_string(case_seconds) + " s";
  if (one.file.empty()) {
    if (ended.status == 0) return "";
    return "cannot be computed: " + ended.errors.substr(0, ended.errors.find('\n'));
  }
  const auto json = nlohmann::json::parse(ended.output, nullptr, false);
  if (!json.is_object()) return "was not graded: " + ended.errors;
  const std::string verdict = json.value("verdict", "");
  if (verdict == "not gradable") return "cannot be graded: " + json.value("message", "");
  const std::string failed = json.value("failed", "");
  std::string message;
  if (!json["tests"].empty()) message = json["tests"].back().value("message", "");
  if (one.passes) return verdict == "passed" ? "" : "fails by " + failed + ": " + message;
  if (verdict == "passed") return "passes, and should fail by " + one.promise.check;
  if (failed != one.promise.check)
    return "fails by " + failed + ", and should by " + one.promise.check + ": " + message;
  if (one.promise.report.empty()) return "";
  for (const auto& report : json.value("reports", nlohmann::json::array()))
    if (report == one.promise.report) return "";
  return "fails by " + failed + ", but not by the report " + one.promise.report + ": " + message;
}

std::string as_promised(const Case& one) {
  if (one.file.empty()) return "can be computed";
  if (one.passes) return "passes";
  return "fails by " + one.promise.check +
         (one.promise.report.empty() ? "" : ", " + one.promise.report);
}

}  // namespace

int self_test(const GradeOptions& options) {
  if (options.compiler == "nvcc" && path_of_program("nvcc").empty()) {
    printf("skipped: there is no nvcc here\n");
    return 0;
  }
  Course course;
  if (options.exercise.empty()) {
    const auto folder = course_folder(options.course);
    if (!folder) {
      fprintf(stderr, "cuvette grade: there is no course to test; --course=FOLDER names one\n");
      return status_own_failure;
    }
    course = read_course(*folder);
  } else {
    std::string why;
    auto exercise = find_exercise(options.exercise, options.course, why);
    if (exercise) {
      course.lessons.emplace_back();
      course.lessons.back().exercises.push_back(std::move(*exercise));
    } else {
      course.complaints.push_back(why);
    }
  }

  Plan all{{}, course.complaints};
  size_t exercises = 0, left_out = 0;
  for (const Exercise* exercise : course.exercises()) {
    if (const std::string need = missing_need(*exercise); !need.empty()) {
      printf("left out  %s: it needs %s\n", exercise->id.c_str(), need.c_str());
      ++left_out;
      continue;
    }
    ++exercises;
    plan(*exercise, all);
  }
  for (const std::string& wrong : all.wrong) printf("WRONG     %s\n", wrong.c_str());
  if (exercises + left_out + all.wrong.size() == 0) {
    fprintf(stderr, "cuvette grade: the course has no exercises\n");
    return status_own_failure;
  }
  fflush(stdout);

  std::vector<Child> children;
  for (const Case& one : all.cases) {
    Child child;
    child.words = {own_command(), "grade", one.exercise->folder.string(), "--jobs=1"};
    if (one.file.empty())
      child.words.emplace_back("--answer");
    else
      child.words.insert(child.words.end(), {"--json", "--submission=" + one.file.string()});
    if (!options.compiler.empty()) child.words.push_back("--compiler=" + options.compiler);
    child.seconds = case_seconds;
    children.push_back(std::move(child));
  }
  size_t wrong = all.wrong.size();
  const unsigned jobs =
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  run_children(children, jobs, [&](size_t index, const Ended& ended) {
    const Case& one = all.cases[index];
    const std::string problem = complaint(one, ended);
    if (!problem.empty()) ++wrong;
    printf("%s  %s %s %s (%.1f s)\n", problem.empty() ? "ok      " : "WRONG   ",
           one.exercise->id.c_str(), one.what.c_str(),
           problem.empty() ? as_promised(one).c_str() : problem.c_str(), ended.seconds);
    fflush(stdout);
  });
  if (is_interrupted()) return 128 + interrupting_signal();
  const size_t promises = all.cases.size() + all.wrong.size();
  printf("%zu of %zu promises of %zu exercises are kept", promises - wrong, promises, exercises);
  if (left_out > 0) printf("; %zu exercises were left out", left_out);
  printf(".\n");
  return wrong == 0 ? 0 : status_check_failed;
}

}  // namespace cuvette::tools
