// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/learn.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/course/course.hpp"
#include "tools/cuvette/course/grade_options.hpp"
#include "tools/cuvette/course/grading.hpp"
#include "tools/cuvette/course/learn_text.hpp"
#include "tools/cuvette/course/progress.hpp"
#include "tools/cuvette/course/surroundings.hpp"
#include "tools/cuvette/course/watching.hpp"
#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;
using State = ExerciseProgress::State;

int say(const std::string& sentence, int status) {
  fprintf(stderr, "cuvette learn: %s\n", sentence.c_str());
  return status;
}

int unwritten() {
  return say(
      "'" + progress_file().string() +
          "' cannot be written: your progress is not kept; XDG_STATE_HOME names another folder",
      status_own_failure);
}

bool has_passed(const ExerciseProgress& one) {
  return one.state == State::passing || one.state == State::explained;
}

class Learner {
 public:
  Learner(const LearnOptions& options, Course course)
      : options_(options), course_(std::move(course)), progress_(read_progress()) {}

  int run();

 private:
  int list();
  int start(const Exercise& exercise);
  int watch(const Exercise& exercise);
  int hint(const Exercise& exercise);
  int explain(const Exercise& exercise);
  int solution(const Exercise& exercise);
  int reset(const Exercise& exercise);
  int next();

  const Exercise* chosen(std::string& why) const;
  // Where the learner's copy is; empty: there is none.
  fs::path folder_of(const Exercise& exercise) const;
  bool keep(const std::string& id, const std::function<void(ExerciseProgress&)>& change);
  GradeSettings settings() const;
  std::vector<std::string> asked(const Question& question) const;
  int has_explained(const Exercise& exercise);

  const LearnOptions& options_;
  const Course course_;
  Progress progress_;
};

const Exercise* Learner::chosen(std::string& why) const {
  if (!options_.exercise.empty()) return course_.find(options_.exercise, why);
  if (!progress_.current.empty()) {
    if (const Exercise* const current = course_.find(progress_.current, why)) return current;
    why.clear();
  }
  const Exercise* const first = next_exercise(course_, progress_, "");
  if (!first) why = "All exercises pass; name one: cuvette learn " + options_.action + " EXERCISE.";
  return first;
}

fs::path Learner::folder_of(const Exercise& exercise) const {
  const fs::path folder = progress_.of(exercise.id).folder;
  std::error_code failure;
  return !folder.empty() && fs::is_directory(folder, failure) ? folder : fs::path();
}

bool Learner::keep(const std::string& id, const std::function<void(ExerciseProgress&)>& change) {
  return change_progress([&](Progress& progress) {
    change(progress.exercises[id]);
    progress_ = progress;
  });
}

GradeSettings Learner::settings() const {
  GradeSettings settings;
  settings.compiler = options_.compiler;
  settings.utf8 = has_utf8();
  return settings;
}

int Learner::list() {
  for (const std::string& complaint : course_.complaints) say(complaint, 0);
  fputs(course_text(course_, progress_).c_str(), stdout);
  return 0;
}

int Learner::start(const Exercise& exercise) {
  if (const std::string need = missing_need(exercise); !need.empty())
    return say("the exercise needs " + need + ", which is not here", status_not_gradable);
  const fs::path folder =
      fs::absolute(options_.to.empty() ? fs::path("cuvette-course") / exercise.id
                                       : fs::path(options_.to))
          .lexically_normal();
  std::error_code failure;
  fs::create_directories(folder, failure);
  // What the learner has written is never overwritten here.
  const fs::path file = folder / exercise.submission_name();
  const bool is_new = !fs::exists(file, failure);
  if (is_new) fs::copy_file(exercise.folder / exercise.start_name(), file, failure);
  if (failure || !fs::exists(file))
    return say("'" + file.string() + "' cannot be written: " + failure.message(),
               status_own_failure);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write, fs::perm_options::add,
                  failure);
  // For reading; the grader uses its own.
  for (const fs::path& more : {fs::path("README.md"), exercise.main_source().filename()})
    if (fs::exists(exercise.folder / more, failure))
      fs::copy_file(exercise.folder / more, folder / more, fs::copy_options::overwrite_existing,
                    failure);
  const bool kept = change_progress([&](Progress& progress) {
    progress.exercises[exercise.id].folder = folder.string();
    progress.current = exercise.id;
    progress_ = progress;
  });
  fputs(begun_text(exercise, fs::proximate(folder, failure).string()).c_str(), stdout);
  if (!is_new) printf("%s was there and is as you left it.\n", exercise.submission_name());
  return kept ? 0 : unwritten();
}

int Learner::watch(const Exercise& exercise) {
  const fs::path folder = folder_of(exercise);
  if (folder.empty())
    return say("begin with: cuvette learn start " + exercise.id, status_check_failed);
  GradeSettings own = settings();
  own.submission = folder / exercise.submission_name();
  return watch_exercise(course_, exercise, own);
}

int Learner::hint(const Exercise& exercise) {
  if (exercise.hints.empty()) {
    printf("%s has no hints.\n", exercise.id.c_str());
    return 0;
  }
  const size_t all = exercise.hints.size();
  const size_t taken = std::min(progress_.of(exercise.id).hints + 1, all);
  for (size_t i = 0; i < taken; ++i)
    printf("Hint %zu of %zu: %s\n", i + 1, all, exercise.hints[i].c_str());
  if (!keep(exercise.id, [&](ExerciseProgress& one) { one.hints = taken; })) return unwritten();
  return 0;
}

// Asks the question, and reads the lines of the answer up to an empty one.
std::vector<std::string> Learner::asked(const Question& question) const {
  printf("%s\n", question.asks.c_str());
  if (!options_.answers.empty()) return options_.answers;
  printf("%s", question.prediction.kind == Prediction::Kind::count
                   ? "A number: "
                   : "One answer on each line, and an empty line at the end:\n");
  fflush(stdout);
  std::string text;
  for (std::string line; std::getline(std::cin, line) && !line.empty();) {
    text += line + "\n";
    if (question.prediction.kind == Prediction::Kind::count) break;
  }
  return lines_of_answer(text);
}

int Learner::has_explained(const Exercise& exercise) {
  if (!exercise.explanation.empty()) printf("%s\n", exercise.explanation.c_str());
  const Exercise* const next = next_exercise(course_, progress_, exercise.id);
  fputs(next ? "\nThe next exercise: cuvette learn next\n"
             : ("\n" + end_text(course_, progress_)).c_str(),
        stdout);
  return 0;
}

int Learner::explain(const Exercise& exercise) {
  const ExerciseProgress own = progress_.of(exercise.id);
  if (!has_passed(own) && !options_.anyway)
    return say("the explanation comes after success: cuvette learn watch " + exercise.id +
                   " (or --anyway)",
               status_check_failed);
  if (exercise.question && own.state != State::explained && !options_.anyway) {
    const Question& question = *exercise.question;
    // The answer is given before the program runs.
    const std::vector<std::string> answer = asked(question);
    const ComputedAnswer computed =
        compute_answer(exercise, question.prediction, exercise.question_submission(), settings());
    if (is_interrupted()) return 128 + interrupting_signal();
    if (!computed.problem.empty())
      return say("the answer cannot be computed: " + computed.problem, status_not_gradable);
    std::string how;
    if (!is_answer(answer, computed, question.prediction, how)) {
      printf("Not yet. %s\nAgain: cuvette learn explain %s; the explanation alone: --anyway\n",
             how.c_str(), exercise.id.c_str());
      return status_check_failed;
    }
    printf("Right.\n\n");
  }
  if (has_passed(own) && (!options_.anyway || !exercise.question) &&
      !keep(exercise.id, [](ExerciseProgress& one) { one.state = State::explained; }))
    return unwritten();
  return has_explained(exercise);
}

int Learner::solution(const Exercise& exercise) {
  if (!has_passed(progress_.of(exercise.id)) && !options_.anyway)
    return say("the solution comes after success; --anyway shows it now", status_check_failed);
  if (exercise.kind == ExerciseKind::predict) {
    const ComputedAnswer computed =
        compute_answer(exercise, exercise.check(CheckKind::answer)->prediction, {}, settings());
    if (!computed.problem.empty()) return say(computed.problem, status_not_gradable);
    for (const std::string& line : computed.lines) printf("%s\n", line.c_str());
    return 0;
  }
  const auto text = whole_file(exercise.solution().string());
  if (!text) return say("the exercise has no solution", status_own_failure);
  fputs(text->c_str(), stdout);
  return 0;
}

int Learner::reset(const Exercise& exercise) {
  const fs::path folder = folder_of(exercise);
  std::error_code failure;
  if (!folder.empty()) {
    const fs::path file = folder / exercise.submission_name();
    fs::path before = file;
    before += ".before-reset";
    if (fs::exists(file, failure)) fs::rename(file, before, failure);
    if (!failure) fs::copy_file(exercise.folder / exercise.start_name(), file, failure);
    if (failure)
      return say("'" + file.string() + "' cannot be written: " + failure.message(),
                 status_own_failure);
    printf("%s is as at the start; yours is in %s.\n", file.c_str(), before.filename().c_str());
  }
  if (!keep(exercise.id, [](ExerciseProgress& one) { one = {State::fresh, 0, 0, one.folder}; }))
    return unwritten();
  return 0;
}

int Learner::next() {
  const Exercise* const next = next_exercise(course_, progress_, progress_.current);
  if (!next) {
    fputs(end_text(course_, progress_).c_str(), stdout);
    return 0;
  }
  return start(*next);
}

int Learner::run() {
  if (options_.action.empty()) return list();
  if (options_.action == "next") return next();
  std::string why;
  const Exercise* const exercise = chosen(why);
  if (!exercise) return say(why, status_own_failure);
  if (options_.action == "start") return start(*exercise);
  if (options_.action == "watch") return watch(*exercise);
  if (options_.action == "hint") return hint(*exercise);
  if (options_.action == "explain") return explain(*exercise);
  if (options_.action == "solution") return solution(*exercise);
  return reset(*exercise);
}

}  // namespace

int learn(const LearnOptions& options) {
  forget_own_knobs();
  adopt_orphans();
  if (options.action == "watch") hold_signals();
  const auto folder = course_folder(options.course);
  if (!folder)
    return say(options.course.empty()
                   ? "there is no course where this command was built or installed; "
                     "--course=FOLDER names one"
                   : "--course: '" + options.course + "' is not a folder",
               status_own_failure);
  return Learner(options, read_course(*folder)).run();
}

}  // namespace cuvette::tools
