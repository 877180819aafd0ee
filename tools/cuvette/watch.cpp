// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/watch.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "sim/base/config.hpp"
#include "sim/base/run_notes.hpp"
#include "sim/check/report/report_format.hpp"
#include "sim/check/report/run_note.hpp"
#include "sim/os/file.hpp"
#include "sim/os/output.hpp"
#include "tools/cuvette/baseline.hpp"
#include "tools/cuvette/command_name.hpp"
#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/github.hpp"
#include "tools/cuvette/missed.hpp"
#include "tools/cuvette/program_path.hpp"
#include "tools/cuvette/report_file.hpp"
#include "tools/cuvette/run_notes.hpp"
#include "tools/run_watch/program_file.hpp"

extern char** environ;

namespace cuvette::tools {
namespace {

// The signals to pass on to the program: all except ignored ones, such as SIGHUP under nohup.
// SIGCHLD is among them, for watch() itself.
sigset_t passed_on() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH}) {
    struct sigaction inherited;
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  signal(SIGCHLD, SIG_DFL);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

// Passes the blocked `signals` on to the program until it ends. Returns its wait status.
int pass_on_until_end(pid_t program, const sigset_t& signals) {
  for (;;) {
    siginfo_t information;
    const int signal = sigwaitinfo(&signals, &information);
    int status;
    if (signal == SIGCHLD && waitpid(program, &status, WNOHANG) == program) return status;
    // The terminal sends its signals to the program itself.
    if (signal > 0 && signal != SIGCHLD && information.si_code != SI_KERNEL) kill(program, signal);
  }
}

// Runs the program until its end; returns its wait status, or nothing if no process could be made.
std::optional<int> run_to_its_end(const std::vector<std::string>& program) {
  // Waits for signals instead of handling them, so none is lost between fork() and the first wait.
  const sigset_t signals = passed_on();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    // The program must not survive this command.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(status_own_failure);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    _exit(become(program));
  }
  const int failure = errno;
  std::optional<int> status;
  if (child > 0) status = pass_on_until_end(child, signals);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!status)
    fprintf(stderr, "cuvette %s: cannot start a process: %s\n", command_name(), strerror(failure));
  return status;
}

// Notes what the program's file shows before it starts.
void look_at(const std::string& program, const std::string& folder, RunNotes& notes) {
  const std::string file = path_of_program(program);
  if (const char* const reason =
          file.empty() ? nullptr : run_watch::why_missed(file.c_str(), environ, folder.c_str())) {
    notes.note({reason, file, ""});
  } else if (const std::string why = why_environment_is_dropped(program); !why.empty()) {
    fprintf(stderr, "cuvette %s: '%s' %s\n", command_name(), program.c_str(), why.c_str());
  }
}

// "2 of 3 processes used Cuvette", as far as that is known.
std::string count_of(const RunNotes& notes) {
  std::string text = std::to_string(notes.used());
  if (notes.started() > 0) text += " of " + std::to_string(notes.started());
  return text + (notes.used() == 1 && notes.started() == 0 ? " process" : " processes") +
         " used Cuvette";
}

// Returns a remark for a run in which no process used Cuvette.
std::string why_unused(const RunNotes& notes) {
  if (notes.foreign() > 0)
    return ": nothing ran on Cuvette, since NVIDIA's CUDA runtime, which only works with NVIDIA's "
           "driver, was used in all processes that use CUDA (" +
           std::to_string(notes.foreign()) +
           "). Link them with -cudart=shared or with Cuvette's library folder";
  return ": nothing ran on Cuvette, since no process called cuInit of its libcuda.so.1. If the "
         "program uses CUDA, it found another library (try --preload), changed LD_LIBRARY_PATH, is "
         "a set-user-ID program, or did not get as far; if it does not, --no-require lets it pass";
}

// Prints the commands that GitHub shows beside the source, and adds to the job's summary.
void tell_github(const std::vector<check::ReportSummary>& reports, const std::string& count) {
  os::write_to_stderr(github_commands(reports));
  const char* const file = getenv("GITHUB_STEP_SUMMARY");
  if (file && *file && !os::append_to_file(file, github_summary(reports, count)))
    fprintf(stderr, "cuvette %s: GITHUB_STEP_SUMMARY names '%s', which cannot be written\n",
            command_name(), file);
}

// Adds the mistakes to the Code Quality file. Returns false if that failed.
bool write_gitlab(const WatchOptions& options, const std::vector<check::ReportSummary>& reports) {
  ReportFile file(options.gitlab, ReportFormat::gitlab);
  file.begin(!options.appends_gitlab);
  for (const check::ReportSummary& report : reports)
    if (!report.is_hint) file.add_entry(check::gitlab_issue(report));
  return file.end();
}

// Writes the baseline if one is wanted. Complains and returns false if that fails.
bool write_baseline(const std::string& file, const std::vector<check::ReportSummary>& reports) {
  if (file.empty() || os::replace_file(file, baseline_of(reports))) return true;
  fprintf(stderr, "cuvette %s: the baseline '%s' cannot be written\n", command_name(),
          file.c_str());
  return false;
}

}  // namespace

int complain_of_start(const char* command, const char* program, int failure) {
  fprintf(stderr, "cuvette %s: cannot start '%s': %s\n", command, program, strerror(failure));
  return failure == ENOENT ? status_not_found : status_not_executable;
}

int become(const std::vector<std::string>& program) {
  std::vector<char*> arguments;
  arguments.reserve(program.size() + 1);
  for (const std::string& word : program) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return complain_of_start(command_name(), arguments[0], errno);
}

int watch(const std::vector<std::string>& program, const WatchOptions& options) {
  ReportFile file(config().report, config().report_format);
  file.begin(options.begins_anew);
  RunNotes notes;
  if (options.requires_use && !notes.are_made()) {
    fprintf(stderr, "cuvette %s: --require needs a folder for temporary files: TMPDIR, or /tmp\n",
            command_name());
    return status_own_failure;
  }
  look_at(program.front(), options.library_folder, notes);
  const std::optional<int> ended = run_to_its_end(program);
  if (!ended) return status_own_failure;
  const int status = *ended;
  const bool started = !WIFEXITED(status) || (WEXITSTATUS(status) != status_not_found &&
                                              WEXITSTATUS(status) != status_not_executable);

  notes.read(file.name());
  if (notes.is_inner()) {
    check::note_for_run(run_notes::command);
    if (options.for_github) check::note_for_run(run_notes::github);
  }
  std::vector<check::ReportSummary> reports = notes.reports();
  const std::vector<check::ReportSummary> missed = report_missed(notes, file);
  reports.insert(reports.end(), missed.begin(), missed.end());
  const bool file_is_good = file.end() && !notes.any_unwritten();
  const bool gitlab_is_good = write_gitlab(options, reports);
  const bool baseline_is_good = write_baseline(options.write_baseline, reports);
  if (!notes.is_inner() && (options.for_github || notes.wants_github()))
    tell_github(reports, count_of(notes));

  const bool lacks_use = options.requires_use && notes.used() == 0;
  const bool is_strict = options.requires_use || options.error_status != 0;
  if (started && (notes.is_inner() ? lacks_use : !options.is_quiet || lacks_use))
    fprintf(stderr, "cuvette %s: %s%s.\n", command_name(), count_of(notes).c_str(),
            notes.used() == 0 && is_strict ? why_unused(notes).c_str() : "");

  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
  if (lacks_use) return status_nothing_used;
  // The file alone is not enough: it may be unwritable.
  if (options.error_status != 0 && (file.has_grown() || notes.any_reported() || !missed.empty()))
    return options.error_status;
  return file_is_good && gitlab_is_good && baseline_is_good ? 0 : status_not_written;
}

}  // namespace cuvette::tools
