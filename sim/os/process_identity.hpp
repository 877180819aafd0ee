// SPDX-License-Identifier: Apache-2.0
// ProcessIdentity: a process, so that another one which later gets its number is not taken for it.
//
// Threads: any.
#pragma once

#include <cstdint>

namespace cuvette::os {

struct ProcessIdentity {
  int64_t pid = 0;             // in its own PID namespace
  uint64_t start = 0;          // when it began, in the system's ticks; 0: unknown
  uint64_t pid_namespace = 0;  // 0: unknown

  bool operator==(const ProcessIdentity&) const = default;
};

// Returns this process's identity.
ProcessIdentity own_identity();

// What this process can see of another one. `hidden`: it has a PID namespace of its own, or the
// system does not say.
enum class Sight { running, stopped, gone, hidden };
Sight look_at(const ProcessIdentity& process);

// Returns the user that this process acts for.
unsigned user_id();

}  // namespace cuvette::os
