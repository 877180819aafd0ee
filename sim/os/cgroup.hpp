// SPDX-License-Identifier: Apache-2.0
// How much memory and processor time the control groups of this process (version 1 or 2) leave it.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace cuvette::os {

// A group as files: `mount` is where its hierarchy is mounted, `path` the group's path below that,
// "/" for the topmost that this process can see.
struct Cgroup {
  enum class Version { v1, v2 } version;
  std::string mount;
  std::string path;

  // Returns how many bytes are left until the group, or one above it, reaches its limit; pages of
  // files that can be dropped do not count as used. SIZE_MAX without a limit.
  size_t memory_left() const;
  // Returns how many cores' time the group and those above it allow, rounded up; 0 without a limit.
  unsigned cores() const;
};

// Finds the group of this process that has `controller` ("memory", "cpu"), if there is one.
std::optional<Cgroup> find_cgroup(const char* controller);

// Returns the contents of a small file, such as those under /proc and /sys; empty if it cannot be
// read.
std::string read_small_file(const std::string& path);

}  // namespace cuvette::os
