// SPDX-License-Identifier: Apache-2.0
#include "sim/os/cgroup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace cuvette::os {
namespace {

// Reads a number of bytes, or "max" for no limit. Version 1 writes "no limit" as a number near
// 2^63.
size_t read_bytes(const std::string& file, size_t otherwise) {
  const std::string text = read_small_file(file);
  char* end = nullptr;
  const size_t value = std::strtoull(text.c_str(), &end, 10);
  if (end == text.c_str()) return text.substr(0, 3) == "max" ? SIZE_MAX : otherwise;
  return value;
}

// Reads the number after `name` in a file of "name number" lines.
size_t read_statistic(const std::string& file, const std::string& name) {
  const std::string text = "\n" + read_small_file(file);
  const size_t at = text.find("\n" + name + " ");
  if (at == std::string::npos) return 0;
  return std::strtoull(text.c_str() + at + name.size() + 2, nullptr, 10);
}

size_t memory_left_in(const std::string& group, Cgroup::Version version) {
  const bool v2 = version == Cgroup::Version::v2;
  const size_t limit = v2 ? std::min(read_bytes(group + "/memory.max", SIZE_MAX),
                                     read_bytes(group + "/memory.high", SIZE_MAX))
                          : read_bytes(group + "/memory.limit_in_bytes", SIZE_MAX);
  if (limit > SIZE_MAX / 4) return SIZE_MAX;
  const size_t used = read_bytes(group + (v2 ? "/memory.current" : "/memory.usage_in_bytes"), 0);
  const size_t droppable =
      read_statistic(group + "/memory.stat", v2 ? "inactive_file" : "total_inactive_file");
  return limit - std::min(limit, used - std::min(used, droppable));
}

unsigned cores_in(const std::string& group, Cgroup::Version version) {
  long long quota = -1, period = 0;
  if (version == Cgroup::Version::v2) {
    std::istringstream text(read_small_file(group + "/cpu.max"));
    text >> quota >> period;  // "max 100000" leaves both as they are: no limit
    if (!text) return 0;
  } else {
    quota = std::atoll(read_small_file(group + "/cpu.cfs_quota_us").c_str());
    period = std::atoll(read_small_file(group + "/cpu.cfs_period_us").c_str());
  }
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<unsigned>((quota + period - 1) / period);
}

// Calls `visit` with the folder of the group and of each above it.
template <typename Visit>
void for_each_level(const Cgroup& group, Visit visit) {
  std::string path = group.path;
  while (!path.empty() && path.back() == '/') path.pop_back();
  while (!path.empty()) {
    visit(group.mount + path);
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
  visit(group.mount);
}

bool listed(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

struct Mount {
  Cgroup::Version version;
  std::string root, point, controllers;
};

std::vector<Mount> read_mounts() {
  std::vector<Mount> mounts;
  std::istringstream lines(read_small_file("/proc/self/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    // ... root mount-point options [tags...] - type source super-options
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream left(line.substr(0, dash)), right(line.substr(dash + 3));
    std::string skipped, type;
    Mount mount;
    left >> skipped >> skipped >> skipped >> mount.root >> mount.point;
    right >> type >> skipped >> mount.controllers;
    if (type != "cgroup" && type != "cgroup2") continue;
    mount.version = type == "cgroup2" ? Cgroup::Version::v2 : Cgroup::Version::v1;
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// Returns the path of this process's group below `mount`, as its line in /proc/self/cgroup says:
// "4:memory:/a/b" for version 1, "0::/a/b" for version 2.
std::optional<std::string> path_below(const Mount& mount, const std::string& groups,
                                      const char* controller) {
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    if (mount.version == Cgroup::Version::v2 ? !names.empty() : !listed(names, controller))
      continue;
    std::string path = line.substr(second + 1);
    // Seen from inside a container the mount may begin at the container's group, or below the
    // process's.
    if (mount.root != "/" && path.compare(0, mount.root.size(), mount.root) == 0) {
      path.erase(0, mount.root.size());
    }
    if (path.compare(0, 3, "/..") == 0) path.clear();
    return path;
  }
  return std::nullopt;
}

}  // namespace

std::string read_small_file(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[4096];
  for (ssize_t count; (count = read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(count));
  }
  close(fd);
  return text;
}

size_t Cgroup::memory_left() const {
  size_t left = SIZE_MAX;
  for_each_level(*this, [&](const std::string& folder) {
    left = std::min(left, memory_left_in(folder, version));
  });
  return left;
}

unsigned Cgroup::cores() const {
  unsigned cores = 0;
  for_each_level(*this, [&](const std::string& folder) {
    const unsigned here = cores_in(folder, version);
    if (here != 0 && (cores == 0 || here < cores)) cores = here;
  });
  return cores;
}

std::optional<Cgroup> find_cgroup(const char* controller) {
  // Mounts hardly change, and a machine with many containers has a long list of them.
  static const std::vector<Mount>* const mounts = new std::vector<Mount>(read_mounts());
  const std::string groups = read_small_file("/proc/self/cgroup");
  // A controller is in one version at a time; a mount of version 1 names its controllers.
  for (const auto version : {Cgroup::Version::v1, Cgroup::Version::v2}) {
    for (const Mount& mount : *mounts) {
      if (mount.version != version) continue;
      if (version == Cgroup::Version::v1 && !listed(mount.controllers, controller)) continue;
      if (auto path = path_below(mount, groups, controller)) {
        return Cgroup{version, mount.point, *std::move(path)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace cuvette::os
