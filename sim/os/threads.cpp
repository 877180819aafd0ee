// SPDX-License-Identifier: Apache-2.0
#include "sim/os/threads.hpp"

#include <dirent.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "sim/os/cgroup.hpp"

namespace cuvette::os {
namespace {

// Whether `call`, the number of a system call and its arguments, waits without a time limit for a
// futex that only this process can see.
bool waits_for_process(const char* call) {
  char* rest = nullptr;
  if (std::strtol(call, &rest, 10) != SYS_futex) return false;
  unsigned long arguments[4];  // the word, the operation, the value, the time limit
  for (unsigned long& argument : arguments) argument = std::strtoul(rest, &rest, 16);
  return (arguments[1] & FUTEX_PRIVATE_FLAG) && arguments[3] == 0;
}

}  // namespace

std::vector<ThreadActivity> thread_activities(bool (*last)(const ThreadActivity&)) {
  std::vector<ThreadActivity> found;
  DIR* const tasks = opendir("/proc/self/task");
  if (!tasks) return found;
  const std::string own = std::to_string(syscall(SYS_gettid));
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] == '.' || task->d_name == own) continue;
    const std::string folder = std::string("/proc/self/task/") + task->d_name;
    // "running", or the number of the system call and its arguments.
    const std::string call = read_small_file(folder + "/syscall");
    if (call.empty()) continue;  // it has ended, or the system does not report it
    std::string name = read_small_file(folder + "/comm");
    if (name.ends_with('\n')) name.pop_back();
    auto state = ThreadActivity::State::running;
    const long number = call.starts_with("running") ? -1 : std::strtol(call.c_str(), nullptr, 10);
    if (number >= 0) {  // -1: it is in no call, but may wait for a page
      const bool sleeps = number == SYS_nanosleep || number == SYS_clock_nanosleep;
      state = sleeps                            ? ThreadActivity::State::sleeping
              : waits_for_process(call.c_str()) ? ThreadActivity::State::waiting
                                                : ThreadActivity::State::blocked;
    }
    const bool runs = state == ThreadActivity::State::running;
    found.push_back(
        {std::move(name), state, runs ? std::string() : read_small_file(folder + "/schedstat")});
    if (last && last(found.back())) break;
  }
  closedir(tasks);
  return found;
}

uint32_t thread_id() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

std::string thread_name() {
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  return name;
}

void wake_on_time() { prctl(PR_SET_TIMERSLACK, 1); }

}  // namespace cuvette::os
