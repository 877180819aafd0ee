// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_runs.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

namespace cuvette::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr off_t most_output = 64 << 10;

}  // namespace

struct Runs::Process {
  pid_t id = 0;
  int output = -1;
  Clock::time_point begun;
  bool timed_out = false;
};

std::string RunResult::describe() const {
  if (timed_out) return "it did not end in time";
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  if (wait_status != 0) return "exit status " + std::to_string(WEXITSTATUS(wait_status));
  if (output_matches) return "its output says so";
  return "passed";
}

bool Runs::start(const std::string& schedule, Process& process) {
  process.output = memfd_create("cuvette-explore", MFD_CLOEXEC);
  if (process.output < 0) return false;
  process.begun = Clock::now();
  process.id = fork();
  if (process.id < 0) {
    close(process.output);
    return false;
  }
  if (process.id > 0) return true;
  // A process group of its own, so that the children of the program are killed with it.
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(process.output, STDOUT_FILENO);
  dup2(process.output, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  RunOptions run_options = options_.run;
  run_options.environment.emplace_back("CUVETTE_SCHEDULE", schedule);
  _exit(tools::run(run_options));
}

void Runs::finish(Process& process, int wait_status, RunResult& result) {
  result.time = Clock::now() - process.begun;
  result.timed_out = process.timed_out;
  result.wait_status = wait_status;
  kill(-process.id, SIGKILL);  // kills the children that it left behind
  const off_t size = lseek(process.output, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - most_output);
  result.output.resize(static_cast<size_t>(size - from));
  const ssize_t count = pread(process.output, result.output.data(), result.output.size(), from);
  result.output.resize(count > 0 ? static_cast<size_t>(count) : 0);
  close(process.output);
  result.output_matches =
      options_.fails_by_output && std::regex_search(result.output, *options_.fails_by_output);
}

RunResult Runs::run(const std::string& schedule, const std::string& order_log) {
  RunResult only;
  auto& environment = options_.run.environment;
  environment.emplace_back("CUVETTE_ORDER_LOG", order_log);
  run_all({schedule}, [&](size_t, const RunResult& result) { only = result; });
  environment.pop_back();
  return only;
}

void Runs::run_all(const std::vector<std::string>& schedules,
                   const std::function<void(size_t, const RunResult&)>& done) {
  sigset_t child_ended, before;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, &before);
  std::map<pid_t, std::pair<size_t, Process>> running;
  size_t next = 0;
  while (next < schedules.size() || !running.empty()) {
    while (next < schedules.size() && running.size() < options_.jobs) {
      Process process;
      if (!start(schedules[next], process)) {
        if (!running.empty()) break;  // there is room when one has ended
        fprintf(stderr, "cuvette explore: cannot start a process: %s\n", strerror(errno));
        RunResult failure;
        failure.wait_status = W_EXITCODE(status_own_failure, 0);
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
      const size_t index = found->second.first;
      running.erase(found);
      done(index, result);
      continue;
    }
    for (auto& [id, entry] : running) {
      Process& process = entry.second;
      if (process.timed_out || Clock::now() - process.begun < options_.timeout) continue;
      process.timed_out = true;
      kill(-id, SIGKILL);
    }
    const timespec moment{0, 20'000'000};
    sigtimedwait(&child_ended, nullptr, &moment);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace cuvette::tools
