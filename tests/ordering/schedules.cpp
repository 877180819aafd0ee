// SPDX-License-Identifier: Apache-2.0
#include "tests/ordering/schedules.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

// A child process whose output this one reads.
class Child {
 public:
  Child(const char* name, const char* form, const std::string& schedule) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    output_ = ends[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::string variable = "CUVETTE_SCHEDULE=" + schedule;
    // Else it says on a machine without protection keys that they are not there.
    std::string guard = "CUVETTE_HOST_ACCESS=allow";
    std::vector<char*> environment{variable.data(), guard.data()};
    for (char** each = environ; *each; ++each)
      if (strncmp(*each, "CUVETTE_", 8) != 0) environment.push_back(*each);
    environment.push_back(nullptr);
    const char* const words[] = {ORDERING_PROGRAMS, name, form, nullptr};
    if (posix_spawn(&process_, words[0], &actions, nullptr, const_cast<char**>(words),
                    environment.data()) != 0)
      process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }
  Child(Child&& other) noexcept : process_(other.process_), output_(other.output_) {
    other.process_ = other.output_ = -1;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    if (output_ >= 0) close(output_);
  }

  Outcome outcome() {
    if (process_ <= 0) return {-1, "no process"};
    Outcome outcome{-1, ""};
    char text[512];
    for (ssize_t size; (size = read(output_, text, sizeof text)) > 0;)
      outcome.output.append(text, static_cast<size_t>(size));
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return outcome;
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace

Outcome run(const char* name, const char* form, const std::string& schedule) {
  return Child(name, form, schedule).outcome();
}

std::vector<Outcome> run(const char* name, const char* form,
                         const std::vector<std::string>& schedules) {
  constexpr size_t at_a_time = 3;
  std::vector<Child> children;
  std::vector<Outcome> outcomes;
  children.reserve(schedules.size());
  for (const std::string& schedule : schedules) {
    children.emplace_back(name, form, schedule);
    if (children.size() >= outcomes.size() + at_a_time)
      outcomes.push_back(children[outcomes.size()].outcome());
  }
  while (outcomes.size() < schedules.size())
    outcomes.push_back(children[outcomes.size()].outcome());
  return outcomes;
}
