// SPDX-License-Identifier: Apache-2.0
#include "sim/os/process_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace cuvette::os {
namespace {

struct ProcessStat {
  int64_t pid;
  char state;
  uint64_t start;
};

// Reads /proc/PID/stat; nothing if there is no such file, with errno.
std::optional<ProcessStat> stat_of(const std::string& process) {
  FILE* const file = fopen(("/proc/" + process + "/stat").c_str(), "re");
  if (!file) return std::nullopt;
  char text[1024];
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = 0;
  // The program's name, in parentheses, may hold any characters.
  const char* at = strrchr(text, ')');
  ProcessStat found{};
  found.pid = strtoll(text, nullptr, 10);
  errno = ENOENT;
  if (!at || sscanf(at, ") %c", &found.state) != 1) return std::nullopt;
  // The state is field 3, the start is field 22.
  for (int field = 2; field < 22; ++field) {
    at = strchr(at, ' ');
    if (!at) return std::nullopt;
    ++at;
  }
  found.start = strtoull(at, nullptr, 10);
  return found;
}

// Returns 0 if /proc shows another PID namespace's processes.
uint64_t own_pid_namespace() {
  struct stat status {};
  const auto own = stat_of("self");
  if (!own || own->pid != getpid()) return 0;
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

ProcessIdentity own_identity() {
  const auto own = stat_of("self");
  return {getpid(), own ? own->start : 0, own_pid_namespace()};
}

Sight look_at(const ProcessIdentity& process) {
  if (process.start == 0 || process.pid <= 0 || process.pid_namespace == 0 ||
      process.pid_namespace != own_pid_namespace())
    return Sight::hidden;
  const auto found = stat_of(std::to_string(process.pid));
  if (!found) return errno == ENOENT || errno == ESRCH ? Sight::gone : Sight::hidden;
  if (found->start != process.start) return Sight::gone;
  // A zombie's first thread may have ended before the others, so that says nothing.
  return found->state == 'T' || found->state == 't' ? Sight::stopped : Sight::running;
}

unsigned user_id() { return geteuid(); }

}  // namespace cuvette::os
