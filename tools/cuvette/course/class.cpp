// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/class.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/os/file.hpp"
#include "tools/cuvette/course/child.hpp"
#include "tools/cuvette/course/class_table.hpp"
#include "tools/cuvette/course/sandbox.hpp"
#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/temporary_folder.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t most_bytes = uintmax_t{16} << 20;  // of what a student has handed in
constexpr size_t most_files = 1000;

struct Submission {
  std::string student;
  fs::path path;       // of the file; empty: none was found
  std::string folder;  // of the copy and the temporary files
  std::string problem;
};

// The learner's file in a student's folder: by its name, or the only one of its kind.
fs::path file_in(const fs::path& folder, const Exercise& exercise) {
  std::error_code failure;
  const fs::path named = folder / exercise.submission_name();
  if (fs::is_regular_file(named, failure)) return named;
  const std::string ending = fs::path(exercise.submission_name()).extension().string();
  std::vector<fs::path> found;
  for (auto one = fs::directory_iterator(folder, failure);
       !failure && one != fs::directory_iterator(); one.increment(failure))
    if (one->path().extension() == ending && one->is_regular_file(failure))
      found.push_back(one->path());
  return found.size() == 1 ? found.front() : fs::path();
}

std::vector<Submission> submissions_in(const fs::path& folder, const Exercise& exercise) {
  const std::string ending = fs::path(exercise.submission_name()).extension().string();
  std::vector<Submission> all;
  std::error_code failure;
  for (auto one = fs::directory_iterator(folder, failure);
       !failure && one != fs::directory_iterator(); one.increment(failure)) {
    const fs::path& path = one->path();
    std::error_code ignored;
    if (path.filename().string().front() == '.') continue;
    if (one->is_directory(ignored)) {
      all.push_back({path.filename().string(), file_in(path, exercise), "", ""});
      if (all.back().path.empty())
        all.back().problem = std::string("The folder has no ") + exercise.submission_name() + ".";
    } else if (one->is_regular_file(ignored) && path.extension() == ending) {
      all.push_back({path.stem().string(), path, "", ""});
    }
  }
  std::ranges::sort(all, {}, &Submission::student);
  return all;
}

// Copies the file, and what lies beside it in the student's own folder, to a folder that the
// sandbox can read whoever owns the files.
void copy(Submission& submission, const fs::path& root, const fs::path& class_folder,
          size_t index) {
  if (submission.path.empty()) return;
  submission.folder = (root / std::to_string(index)).string();
  const fs::path to = fs::path(submission.folder) / "submission";
  std::error_code failure;
  for (const char* const name : {"submission", "tmp", "home"})
    fs::create_directories(fs::path(submission.folder) / name, failure);
  const fs::path from = submission.path.parent_path();
  uintmax_t bytes = 0;
  size_t files = 0;
  const auto take = [&](const fs::path& file, const fs::path& name) {
    std::error_code ignored;
    bytes += fs::file_size(file, ignored);
    if (ignored || ++files > most_files || bytes > most_bytes) return false;
    fs::create_directories((to / name).parent_path(), ignored);
    return fs::copy_file(file, to / name, ignored);
  };
  bool fits = true;
  if (fs::equivalent(from, class_folder, failure)) {
    fits = take(submission.path, submission.path.filename());
  } else {
    for (auto one = fs::recursive_directory_iterator(from, failure);
         fits && !failure && one != fs::recursive_directory_iterator(); one.increment(failure)) {
      std::error_code ignored;
      // A link could lead anywhere.
      if (one->is_symlink(ignored) || !one->is_regular_file(ignored)) continue;
      fits = take(one->path(), one->path().lexically_relative(from));
    }
  }
  if (!fits) submission.problem = "It cannot be copied, or is more than 16 MiB or 1000 files.";
  submission.path = to / submission.path.filename();
}

ClassRow row_of(const Submission& submission, const Ended& ended, double limit) {
  ClassRow row{submission.student, "not gradable", "", "", "", ended.seconds};
  if (ended.timed_out || !ended.killed.empty()) {
    row.verdict = "stopped";
    row.message = ended.describe(limit);
    return row;
  }
  const auto json = nlohmann::json::parse(ended.output, nullptr, false);
  if (!json.is_object() || !json.contains("verdict")) {
    row.message = ended.status > 128 ? "Its grader was stopped by " + ended.describe(limit) + "."
                                     : "It was not graded: " + ended.errors;
    return row;
  }
  row.verdict = json.value("verdict", "");
  row.check = json.value("failed", "");
  row.report = json.value("report", "");
  if (row.verdict == "not gradable") row.message = json.value("message", "");
  if (row.verdict == "failed" && !json["tests"].empty()) {
    const std::string message = json["tests"].back().value("message", "");
    // The sentence of the exercise, and what was there.
    const size_t first = message.find('\n');
    row.message = message.substr(0, first);
    if (first != std::string::npos && row.check != "compile")
      row.message += " " + message.substr(first + 1, message.find('\n', first + 1) - first - 1);
  }
  return row;
}

Child child_of(const Submission& submission, const Exercise& exercise, const GradeOptions& options,
               const Sandbox& sandbox) {
  const fs::path own = submission.folder;
  Child child;
  child.words = {own_command(), "grade",    exercise.folder.string(),
                 "--json",      "--jobs=2", "--submission=" + submission.path.string()};
  if (!options.compiler.empty()) child.words.push_back("--compiler=" + options.compiler);
  child.environment = {{"TMPDIR", (own / "tmp").string()},
                       {"HOME", (own / "home").string()},
                       {"XDG_CACHE_HOME", (own / "home").string()},
                       {"XDG_RUNTIME_DIR", (own / "home").string()},
                       {"CUVETTE_CACHE", (own / "home" / "cache").string()},
                       {"CUVETTE_REGISTER", "off"},
                       {"CUVETTE_WORKERS", "2"}};
  child.folder = (own / "tmp").string();
  child.seconds = options.seconds;
  child.prepare = [&sandbox, folder = submission.folder] { return sandbox.enter(folder); };
  child.dies_whole = sandbox.dies_whole();
  child.watch = [&sandbox](pid_t process) { return sandbox.exceeded(process); };
  return child;
}

}  // namespace

int grade_class(const Exercise& exercise, const GradeOptions& options) {
  std::error_code failure;
  if (!fs::is_directory(options.class_folder, failure)) {
    fprintf(stderr, "cuvette grade: --class: '%s' is not a folder\n", options.class_folder.c_str());
    return status_own_failure;
  }
  const fs::path folder = fs::canonical(options.class_folder, failure);
  const TemporaryFolder root("cuvette-class-XXXXXX");
  if (root.path().empty()) {
    fprintf(stderr, "cuvette grade: there is no folder for temporary files: TMPDIR, or /tmp\n");
    return status_own_failure;
  }
  std::vector<Submission> submissions = submissions_in(folder, exercise);
  const Sandbox sandbox({options.seconds, options.memory, options.processes});
  for (const std::string& one : sandbox.missing())
    fprintf(stderr, "cuvette grade: this machine does not allow a full sandbox: %s\n", one.c_str());

  std::vector<ClassRow> rows(submissions.size());
  std::vector<Child> children;
  std::vector<size_t> indices;
  for (size_t i = 0; i < submissions.size(); ++i) {
    copy(submissions[i], root.path(), folder, i);
    rows[i] = {submissions[i].student, "not gradable", "", "", submissions[i].problem, 0};
    if (!submissions[i].problem.empty()) continue;
    children.push_back(child_of(submissions[i], exercise, options, sandbox));
    indices.push_back(i);
  }
  const unsigned jobs =
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  const bool shows = isatty(STDERR_FILENO);
  size_t done = 0;
  run_children(children, jobs, [&](size_t index, const Ended& ended) {
    const Submission& submission = submissions[indices[index]];
    rows[indices[index]] = row_of(submission, ended, options.seconds);
    std::error_code ignored;
    fs::remove_all(submission.folder, ignored);
    if (shows) fprintf(stderr, "\r%zu of %zu submissions", ++done, children.size());
  });
  if (shows) fprintf(stderr, "\r%*s\r", 60, "");
  if (is_interrupted()) return 128 + interrupting_signal();
  fputs(options.json ? class_json(exercise.id, rows).c_str() : class_text(rows).c_str(), stdout);
  fflush(stdout);
  if (options.csv.empty() || os::replace_file(options.csv, class_csv(rows))) return 0;
  fprintf(stderr, "cuvette grade: '%s' cannot be written\n", options.csv.c_str());
  return status_own_failure;
}

}  // namespace cuvette::tools
