// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/watching.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/course/grade_options.hpp"
#include "tools/cuvette/course/grade_text.hpp"
#include "tools/cuvette/course/learn_text.hpp"
#include "tools/cuvette/course/progress.hpp"
#include "tools/cuvette/exit_statuses.hpp"

namespace cuvette::tools {
namespace {

using State = ExerciseProgress::State;

// Watches the folder: many editors write a new file and rename it.
class SavedFile {
 public:
  explicit SavedFile(const std::filesystem::path& file)
      : name_(file.filename().string()), notices_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (notices_ >= 0 &&
        inotify_add_watch(notices_, file.parent_path().c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) < 0) {
      close(notices_);
      notices_ = -1;
    }
  }
  ~SavedFile() {
    if (notices_ >= 0) close(notices_);
  }
  SavedFile(const SavedFile&) = delete;
  SavedFile& operator=(const SavedFile&) = delete;

  bool is_watched() const { return notices_ >= 0; }

  // Waits until the file is saved; false: a signal came.
  bool wait() {
    while (!is_interrupted()) {
      constexpr int moment = 100;  // ms
      pollfd one{notices_, POLLIN, 0};
      poll(&one, 1, moment);
      if (!take_notices()) continue;
      // An editor may save in several steps.
      usleep(50'000);
      take_notices();
      return true;
    }
    return false;
  }

 private:
  // Returns whether one was about the file.
  bool take_notices() {
    alignas(inotify_event) char buffer[16 << 10];
    bool any = false;
    for (ssize_t count = 0; (count = read(notices_, buffer, sizeof buffer)) > 0;)
      for (const char* at = buffer; at < buffer + count;) {
        inotify_event event;
        memcpy(&event, at, sizeof event);
        const char* const name = at + sizeof event;
        any = any || (event.len > 0 && name_ == name) || (event.mask & IN_Q_OVERFLOW);
        at += sizeof event + event.len;
      }
    return any;
  }

  const std::string name_;
  int notices_;
};

void show(const std::string& text) {
  // On a terminal each grade has the screen to itself.
  if (isatty(STDOUT_FILENO)) fputs("\033[2J\033[H", stdout);
  fputs(text.c_str(), stdout);
  fflush(stdout);
}

}  // namespace

bool keep_grade(const Exercise& exercise, const Grade& grade) {
  if (grade.verdict == Grade::Verdict::not_gradable) return true;
  return change_progress([&](Progress& progress) {
    ExerciseProgress& own = progress.exercises[exercise.id];
    ++own.tries;
    const bool passed = grade.verdict == Grade::Verdict::passed;
    // A success is not taken away by what the learner tries afterwards.
    if (passed && own.state != State::explained) own.state = State::passing;
    if (!passed && own.state == State::fresh) own.state = State::failing;
    if (passed && !exercise.question) own.state = State::explained;
  });
}

int watch_exercise(const Course& course, const Exercise& exercise, const GradeSettings& settings) {
  SavedFile file(settings.submission);
  if (!file.is_watched()) {
    fprintf(stderr, "cuvette learn: '%s' cannot be watched: %s\n", settings.submission.c_str(),
            strerror(errno));
    return status_own_failure;
  }
  int status = status_check_failed;
  do {
    show("Grading " + settings.submission.string() + " ...\n");
    const Grade grade = grade_submission(exercise, settings);
    if (is_interrupted()) break;
    const bool kept = keep_grade(exercise, grade);
    const Progress progress = read_progress();
    std::string text = text_of(exercise, grade, progress.of(exercise.id).hints);
    const bool passed = grade.verdict == Grade::Verdict::passed;
    if (passed) text += "\n" + success_text(course, exercise, progress);
    if (!kept) text += "Your progress cannot be kept: " + progress_file().string() + "\n";
    show(text + "\nSave " + settings.submission.filename().string() +
         " to grade it again; Ctrl-C ends.\n");
    status = passed ? 0 : status_check_failed;
  } while (file.wait());
  return status;
}

}  // namespace cuvette::tools
