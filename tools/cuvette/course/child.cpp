// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/course/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "tools/cuvette/exit_statuses.hpp"
#include "tools/cuvette/signal_text.hpp"

namespace cuvette::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

// Processes by their parents, as far as /proc shows them.
std::map<pid_t, std::vector<pid_t>> children_by_parent() {
  std::map<pid_t, std::vector<pid_t>> children;
  std::error_code failure;
  for (auto one = std::filesystem::directory_iterator("/proc", failure);
       !failure && one != std::filesystem::directory_iterator(); one.increment(failure)) {
    const std::string name = one->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(one->path() / "stat");
    std::string line;
    std::getline(file, line);
    // The name of the program, in parentheses, may have any characters.
    const size_t end = line.rfind(')');
    char state = 0;
    int parent = 0;
    if (end == std::string::npos || sscanf(line.c_str() + end + 1, " %c %d", &state, &parent) != 2)
      continue;
    if (state != 'Z') children[parent].push_back(static_cast<pid_t>(std::stol(name)));
  }
  return children;
}

[[noreturn]] void become_child(const Child& child, int out, int errors) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  for (const auto& [name, value] : child.environment) setenv(name.c_str(), value.c_str(), 1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (child.prepare && !child.prepare()) _exit(status_own_failure);
  if (!child.folder.empty() && chdir(child.folder.c_str()) != 0) _exit(status_own_failure);
  std::vector<char*> words;
  for (const std::string& word : child.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  fprintf(stderr, "cuvette: cannot start '%s': %s\n", words[0], strerror(errno));
  _exit(errno == ENOENT ? status_not_found : status_not_executable);
}

// A command that runs.
class Running {
 public:
  Running(const Child& child, size_t index) : child_(child), index_(index) {
    int out[2] = {-1, -1}, errors[2] = {-1, -1};
    const bool piped = pipe2(out, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0;
    process_ = piped ? fork() : -1;
    if (process_ == 0) become_child(child, out[1], errors[1]);
    const int why = errno;
    close_if_open(out[1]);
    close_if_open(errors[1]);
    pipes_[0] = out[0];
    pipes_[1] = errors[0];
    for (const int pipe : pipes_) fcntl(pipe, F_SETFL, O_NONBLOCK);
    ended_.started = process_ > 0;
    if (ended_.started) return;
    ended_.errors = std::string("no process could be started: ") + strerror(why);
    ended_.status = status_own_failure;
  }
  ~Running() {
    for (const int pipe : pipes_) close_if_open(pipe);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  size_t index() const { return index_; }
  const Ended& ended() const { return ended_; }
  void add_pipes(std::vector<pollfd>& all) const {
    for (const int pipe : pipes_)
      if (pipe >= 0) all.push_back({pipe, POLLIN, 0});
  }

  // Reads what it has printed. Returns false when it has ended; a process that it left behind may
  // hold the pipes open.
  bool step() {
    if (process_ < 0) return false;
    int status = 0;
    bool is_over = waitpid(process_, &status, WNOHANG) == process_;
    const Clock::time_point now = Clock::now();
    if (!is_over && child_.watch && now - watched_ > std::chrono::milliseconds(50)) {
      watched_ = now;
      ended_.killed = child_.watch(process_);
    }
    if (!is_over && ended_.killed.empty() && is_interrupted()) ended_.killed = "it was interrupted";
    ended_.timed_out =
        !is_over && std::chrono::duration<double>(now - begun_).count() >= child_.seconds;
    if (!is_over && (ended_.timed_out || !ended_.killed.empty())) {
      // A fork bomb makes more processes than can be looked for.
      if (!child_.dies_whole) kill_descendants(process_);
      kill(process_, SIGKILL);
      waitpid(process_, &status, 0);
      is_over = true;
    }
    // Of a process that prints without an end, no more than the pipes hold is read at last.
    constexpr int last_rounds = 17;
    for (int i = 0; i < (is_over ? last_rounds : 1); ++i) {
      take(pipes_[0], ended_.output);
      take(pipes_[1], ended_.errors);
    }
    if (!is_over) return true;
    kill(-process_, SIGKILL);
    ended_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    ended_.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    return false;
  }

 private:
  static void close_if_open(int file) {
    if (file >= 0) close(file);
  }

  void take(int& pipe, std::string& text) {
    if (pipe < 0) return;
    char buffer[1 << 16];
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
      close(std::exchange(pipe, -1));
      return;
    }
    const size_t room = child_.most_output - std::min(child_.most_output, text.size());
    const size_t kept = std::min(room, static_cast<size_t>(count));
    text.append(buffer, kept);
    ended_.cut = ended_.cut || kept < static_cast<size_t>(count);
  }

  const Child& child_;
  const size_t index_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point watched_ = begun_;
  pid_t process_ = -1;
  int pipes_[2] = {-1, -1};
  Ended ended_;
};

}  // namespace

std::string Ended::describe(double limit) const {
  if (!killed.empty()) return killed;
  if (timed_out) {
    char text[64];
    snprintf(text, sizeof text, "it did not end within %g s", limit);
    return text;
  }
  if (status > 128 && status < 128 + 65) return signal_text(status - 128);
  return "exit status " + std::to_string(status);
}

std::string own_command() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).string();
}

std::vector<pid_t> descendants(pid_t process) {
  const auto children = children_by_parent();
  std::vector<pid_t> found, next = {process};
  std::set<pid_t> seen;
  while (!next.empty()) {
    const pid_t one = next.back();
    next.pop_back();
    const auto of = children.find(one);
    if (of == children.end()) continue;
    for (const pid_t child : of->second)
      if (seen.insert(child).second) {
        found.push_back(child);
        next.push_back(child);
      }
  }
  return found;
}

void hold_signals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : ending_signals) sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, nullptr);
}

int interrupting_signal() {
  sigset_t held, pending;
  sigprocmask(SIG_BLOCK, nullptr, &held);
  sigpending(&pending);
  for (const int signal : ending_signals)
    if (sigismember(&held, signal) == 1 && sigismember(&pending, signal) == 1) return signal;
  return 0;
}

bool is_interrupted() { return interrupting_signal() != 0; }

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void kill_descendants(pid_t process) {
  constexpr int most_rounds = 200;
  for (int i = 0; i < most_rounds; ++i) {
    const std::vector<pid_t> left = descendants(process);
    // A process that is stopped makes no other while the rest is looked for.
    for (const pid_t one : left) kill(one, SIGSTOP);
    for (const pid_t one : left) kill(one, SIGKILL);
    if (process == getpid())
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
    if (left.empty()) return;
    usleep(1000);
  }
}

void run_children(const std::vector<Child>& children, unsigned jobs,
                  const std::function<void(size_t, const Ended&)>& done) {
  std::list<Running> running;
  size_t next = 0;
  while ((next < children.size() && !is_interrupted()) || !running.empty()) {
    while (next < children.size() && !is_interrupted() && running.size() < std::max(1u, jobs)) {
      running.emplace_back(children[next], next);
      ++next;
    }
    std::vector<pollfd> pipes;
    for (const Running& one : running) one.add_pipes(pipes);
    constexpr int moment = 20;  // ms
    poll(pipes.data(), pipes.size(), moment);
    for (auto one = running.begin(); one != running.end();) {
      if (one->step()) {
        ++one;
        continue;
      }
      done(one->index(), one->ended());
      one = running.erase(one);
    }
  }
  kill_descendants(getpid());
}

Ended run_child(const Child& child) {
  Ended only;
  run_children({child}, 1, [&](size_t, const Ended& ended) { only = ended; });
  return only;
}

}  // namespace cuvette::tools
