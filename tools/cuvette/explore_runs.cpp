// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_runs.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/cuvette/output_difference.hpp"
#include "tools/cuvette/signal_text.hpp"

namespace cuvette::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr off_t most_output = 64 << 10, most_compared = 64 << 20;

// Reads the end of what a process has written, and closes the file.
std::string take_output(int file, off_t most) {
  const off_t size = lseek(file, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - most);
  std::string text(static_cast<size_t>(std::max<off_t>(size - from, 0)), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), from);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  close(file);
  return text;
}

// Returns what is in the file, and removes it.
std::string take_file(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  unlink(name.c_str());
  return text.str();
}

std::vector<RunResult::Report> reports_in(const std::string& lines) {
  std::vector<RunResult::Report> reports;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    const auto has_text = [&](const char* name) {
      return json.is_object() && json.contains(name) && json[name].is_string();
    };
    // Of a line that a process did not end, or that the program wrote, it is known that something
    // was reported.
    if (has_text("report") && has_text("sentence"))
      reports.push_back({json["report"], json["sentence"]});
    else
      reports.push_back({"unreadable", line});
  }
  return reports;
}

}  // namespace

struct Runs::Process {
  pid_t id = 0;
  int output = -1, errors = -1;  // `errors`: its own file if runs are compared
  int why_not_started = -1;      // a pipe
  std::string log, reports;      // names of files
  Clock::time_point begun;
  bool timed_out = false, stopped = false;
};

Runs::Runs(Options options) : options_(std::move(options)) {
  // Waits for them, so that the results so far can be reported and the folder removed.
  sigemptyset(&watched_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&watched_, signal);
  sigprocmask(SIG_BLOCK, &watched_, &before_);
  folder_ = (std::filesystem::temp_directory_path() / "cuvette-explore-XXXXXX").string();
  if (!mkdtemp(folder_.data())) {
    fprintf(stderr, "cuvette %s: cannot make a folder '%s': %s\n", options_.command,
            folder_.c_str(), strerror(errno));
    folder_.clear();
  }
}

Runs::~Runs() {
  std::error_code failure;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, failure);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::string Runs::value_of(const char* variable) const {
  const char* const inherited = getenv(variable);
  std::string value = inherited ? inherited : "";
  for (const auto& [name, set] : options_.run.environment)
    if (name == variable) value = set;
  return value;
}

void Runs::forget_time() {
  options_.deadline.reset();
  out_of_time_ = false;
}

void Runs::wait_a_moment() {
  const timespec moment{0, 20'000'000};
  const int signal = sigtimedwait(&watched_, nullptr, &moment);
  if (signal > 0 && signal != SIGCHLD) signal_ = signal;
  if (options_.deadline && Clock::now() >= *options_.deadline) out_of_time_ = true;
}

std::string RunResult::describe() const {
  if (timed_out) return "it did not end in time";
  if (WIFSIGNALED(wait_status)) return signal_text(WTERMSIG(wait_status));
  if (wait_status != 0) return "exit status " + std::to_string(WEXITSTATUS(wait_status));
  if (output_matches) return "its output says so";
  if (!reports.empty()) {
    std::string text = reports.size() == 1 ? "a report" : "reports";
    std::set<std::string> names;
    for (const Report& report : reports)
      if (names.insert(report.identifier).second)
        text += (names.size() == 1 ? ": " : ", ") + report.identifier;
    return text;
  }
  if (!differences.empty()) return "what the host gets, which differs";
  return "passed";
}

bool Runs::start(const std::string& schedule, Process& process) {
  if (folder_.empty()) return false;
  const auto make_file = [] { return memfd_create("cuvette-explore", MFD_CLOEXEC); };
  int pipe[2] = {-1, -1};
  process.output = make_file();
  process.errors = options_.compares ? make_file() : process.output;
  const bool made = process.output >= 0 && process.errors >= 0 && pipe2(pipe, O_CLOEXEC) == 0;
  process.log = folder_ + "/order-" + std::to_string(begun_);
  process.reports = folder_ + "/reports-" + std::to_string(begun_++);
  process.begun = Clock::now();
  process.id = made ? fork() : -1;
  if (process.id < 0) {
    for (const int file : {process.output, pipe[0], pipe[1]})
      if (file >= 0) close(file);
    if (process.errors >= 0 && process.errors != process.output) close(process.errors);
    return false;
  }
  if (process.id > 0) {
    close(pipe[1]);
    process.why_not_started = pipe[0];
    return true;
  }
  // Its own process group, so that the children of the program are killed with it.
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(process.output, STDOUT_FILENO);
  dup2(process.errors, STDERR_FILENO);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  RunOptions run_options = options_.run;
  run_options.command = "explore";
  run_options.becomes_program = true;
  auto& environment = run_options.environment;
  environment.emplace_back("CUVETTE_SCHEDULE", schedule);
  environment.emplace_back("CUVETTE_ORDER_LOG", logs_ ? process.log : "");
  environment.emplace_back("CUVETTE_REPORT", process.reports);
  environment.emplace_back("CUVETTE_REPORT_FORMAT", "json");
  environment.emplace_back("CUVETTE_ERROR_EXITCODE", "");  // a report does not change the status
  environment.emplace_back("CUVETTE_DIGESTS", logs_ ? "1" : "0");
  if (options_.compares) {
    // So that addresses, which programs copy too, are the same in each run.
    personality(ADDR_NO_RANDOMIZE);
  }
  environment.insert(environment.end(), more_.begin(), more_.end());
  const auto status = static_cast<unsigned char>(tools::run(run_options));
  // It did not become the program.
  const ssize_t said = write(pipe[1], &status, 1);
  _exit(said == 1 ? status : status_own_failure);
}

void Runs::finish(Process& process, int wait_status, RunResult& result) {
  result.time = Clock::now() - process.begun;
  result.timed_out = process.timed_out;
  result.wait_status = wait_status;
  kill(-process.id, SIGKILL);  // kills the children that it left
  unsigned char status = 0;
  if (read(process.why_not_started, &status, 1) == 1) result.not_started = status;
  close(process.why_not_started);
  result.output = take_output(process.output, options_.compares ? most_compared : most_output);
  if (options_.compares) {
    result.standard_output = result.output;
    result.output += take_output(process.errors, most_output);
  }
  result.output_matches =
      options_.fails_by_output && std::regex_search(result.output, *options_.fails_by_output);
  result.order = Order::parse(take_file(process.log));
  std::vector<RunResult::Report> reports = reports_in(take_file(process.reports));
  if (options_.fails_by_report) result.reports = std::move(reports);
  if (!expected_) return;
  result.differences = expected_->order.differences(result.order, expected_->not_reproducible);
  if (expected_->output_is_reproducible && result.standard_output != expected_->standard_output)
    result.differences.insert(
        result.differences.begin(),
        "The standard output is another one: " +
            output_difference(expected_->standard_output, result.standard_output) + ".");
}

RunResult Runs::run(const std::string& schedule, const Environment& more) {
  RunResult only;
  only.stopped = true;
  more_ = more;
  const bool logs = std::exchange(logs_, true);
  run_all({schedule}, [&](size_t, const RunResult& result) { only = result; });
  logs_ = logs;
  more_.clear();
  return only;
}

void Runs::run_all(const std::vector<std::string>& schedules,
                   const std::function<void(size_t, const RunResult&)>& done) {
  std::map<pid_t, std::pair<size_t, Process>> running;
  size_t next = 0;
  while ((next < schedules.size() && !is_stopped()) || !running.empty()) {
    while (!is_stopped() && next < schedules.size() && running.size() < options_.jobs) {
      Process process;
      if (!start(schedules[next], process)) {
        if (!running.empty()) break;  // there is room when one has ended
        fprintf(stderr, "cuvette %s: cannot start a process: %s\n", options_.command,
                strerror(errno));
        RunResult failure;
        failure.wait_status = W_EXITCODE(status_own_failure, 0);
        failure.not_started = status_own_failure;
        done(next++, failure);
        continue;
      }
      running[process.id] = {next++, process};
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (const auto found = running.find(ended); ended > 0 && found != running.end()) {
      RunResult result;
      finish(found->second.second, status, result);
      const bool killed = is_stopped() && found->second.second.stopped;
      const size_t index = found->second.first;
      running.erase(found);
      if (!killed) done(index, result);
      continue;
    }
    for (auto& [id, entry] : running) {
      Process& process = entry.second;
      if (is_stopped() && !process.stopped) {
        process.stopped = true;
        kill(-id, SIGKILL);
      }
      if (process.timed_out || Clock::now() - process.begun < options_.timeout) continue;
      process.timed_out = true;
      kill(-id, SIGKILL);
    }
    wait_a_moment();
  }
}

}  // namespace cuvette::tools
