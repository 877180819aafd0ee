// SPDX-License-Identifier: Apache-2.0
#include "sim/os/threads.hpp"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "sim/os/cgroup.hpp"

namespace cuvette::os {

std::vector<ThreadActivity> thread_activities() {
  std::vector<ThreadActivity> found;
  DIR* const tasks = opendir("/proc/self/task");
  if (!tasks) return found;
  const std::string own = std::to_string(syscall(SYS_gettid));
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    const std::string folder = std::string("/proc/self/task/") + task->d_name;
    // "running", or the number of the system call and its arguments.
    const std::string call = read_small_file(folder + "/syscall");
    if (call.empty()) continue;  // it has ended, or the system does not tell
    std::string name = read_small_file(folder + "/comm");
    if (name.ends_with('\n')) name.pop_back();
    auto state = ThreadActivity::State::running;
    if (!call.starts_with("running")) {
      const long number = std::strtol(call.c_str(), nullptr, 10);
      const bool sleeps = number == SYS_nanosleep || number == SYS_clock_nanosleep;
      state = sleeps ? ThreadActivity::State::sleeping : ThreadActivity::State::blocked;
    }
    found.push_back({std::move(name), state, task->d_name == own});
  }
  closedir(tasks);
  return found;
}

}  // namespace cuvette::os
