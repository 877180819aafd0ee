// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/grade.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "sim/os/file.hpp"
#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/course/class.hpp"
#include "tools/cuvette/course/course.hpp"
#include "tools/cuvette/course/grade_text.hpp"
#include "tools/cuvette/course/grading.hpp"
#include "tools/cuvette/course/progress.hpp"
#include "tools/cuvette/course/self_test.hpp"
#include "tools/cuvette/course/surroundings.hpp"
#include "tools/cuvette/course/watching.hpp"
#include "tools/cuvette/exit_statuses.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

int complain(const std::string& sentence, int status) {
  fprintf(stderr, "cuvette grade: %s\n", sentence.c_str());
  return status;
}

// Where the learner's file is if none is named: in the folder where `cuvette learn start` put it.
fs::path usual_submission(const Exercise& exercise) {
  std::error_code failure;
  const fs::path copied = fs::path("cuvette-course") / exercise.id / exercise.submission_name();
  return fs::exists(copied, failure) ? copied : fs::path(exercise.submission_name());
}

// If it is the learner's own file, keeps the grade. Returns how many hints were taken.
size_t kept_hints(const Exercise& exercise, const Grade& grade, const GradeSettings& settings) {
  const ExerciseProgress own = read_progress().of(exercise.id);
  if (own.folder.empty() || settings.submission.parent_path() != fs::path(own.folder)) return 0;
  if (!keep_grade(exercise, grade))
    fprintf(stderr, "cuvette grade: your progress cannot be kept in '%s'\n",
            progress_file().c_str());
  return own.hints;
}

// Prints what learners have to predict: the answer of the exercise, or to its question.
int show_answer(const Exercise& exercise, const GradeSettings& settings) {
  const Check* const check = exercise.check(CheckKind::answer);
  if (!check && !exercise.question)
    return complain("the exercise asks for no prediction", status_not_gradable);
  std::vector<std::pair<std::string, ComputedAnswer>> answers;
  if (check)
    answers.emplace_back("answer", compute_answer(exercise, check->prediction, {}, settings));
  if (exercise.question)
    answers.emplace_back("question", compute_answer(exercise, exercise.question->prediction,
                                                    exercise.question_submission(), settings));
  for (const auto& [name, answer] : answers) {
    if (!answer.problem.empty()) return complain(name + ": " + answer.problem, status_not_gradable);
    printf("# %s\n", name.c_str());
    for (const std::string& line : answer.lines) printf("%s\n", line.c_str());
  }
  return 0;
}

}  // namespace

int grade(const GradeOptions& options) {
  forget_own_knobs();
  adopt_orphans();
  hold_signals();
  if (options.tests_course) return self_test(options);
  if (options.exercise.empty())
    return complain(
        "EXERCISE is missing: cuvette grade EXERCISE [--submission FILE]; `cuvette "
        "learn` lists the exercises",
        status_own_failure);
  std::string why;
  const auto exercise = find_exercise(options.exercise, options.course, why);
  if (!exercise) return complain(why, status_own_failure);
  if (!options.class_folder.empty()) return grade_class(*exercise, options);
  GradeSettings settings;
  settings.submission =
      options.submission.empty() ? usual_submission(*exercise) : fs::path(options.submission);
  settings.submission = fs::absolute(settings.submission).lexically_normal();
  settings.compiler = options.compiler;
  settings.jobs = options.jobs;
  settings.utf8 = has_utf8();
  if (options.shows_answer) return show_answer(*exercise, settings);
  const auto begun = std::chrono::steady_clock::now();
  const Grade grade = grade_submission(*exercise, settings);
  if (is_interrupted()) return 128 + interrupting_signal();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begun;
  if (options.json)
    fputs(json_of(*exercise, grade).c_str(), stdout);
  else
    fputs(text_of(*exercise, grade, kept_hints(*exercise, grade, settings)).c_str(), stdout);
  fflush(stdout);
  if (!options.junit.empty() &&
      !os::replace_file(options.junit, junit_of({{exercise->id, grade, time.count()}})))
    return complain("'" + options.junit + "' cannot be written", status_own_failure);
  switch (grade.verdict) {
    case Grade::Verdict::passed:
      return 0;
    case Grade::Verdict::failed:
      return status_check_failed;
    case Grade::Verdict::not_gradable:
      break;
  }
  return status_not_gradable;
}

}  // namespace cuvette::tools
