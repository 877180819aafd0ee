// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become(const Run& what, int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  closefrom(3);  // files that the test inherited are not meant for the program
  for (const auto& [name, value] : what.environment) setenv(name.c_str(), value.c_str(), 1);
  // Older ThreadSanitizers cannot place their shadow where newer kernels randomise more bits.
  personality(ADDR_NO_RANDOMIZE);
  if (what.address_space) {
    const rlimit limit{what.address_space, what.address_space};
    setrlimit(RLIMIT_AS, &limit);
  }
  std::vector<char*> arguments;
  for (const std::string& word : what.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  perror(arguments[0]);
  _exit(127);
}

}  // namespace

Ended run(const Run& what, const std::function<void(int process)>& on_output) {
  int ends[2];
  if (pipe(ends) != 0) return {false, 0, 0, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    become(what, ends[1]);
  }
  close(ends[1]);

  Ended ended{true, 0, 0, ""};
  const auto until = Clock::now() + std::chrono::minutes(1);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd file{ends[0], POLLIN, 0};
    if (left.count() <= 0 || poll(&file, 1, static_cast<int>(left.count())) == 0) {
      ended.in_time = false;
      kill(child, SIGKILL);
      break;
    }
    char text[4096];
    const ssize_t got = read(ends[0], text, sizeof text);
    if (got <= 0) break;
    const bool first = ended.output.empty();
    ended.output.append(text, static_cast<size_t>(got));
    if (first && on_output) on_output(child);
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  return ended;
}
