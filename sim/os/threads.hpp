// SPDX-License-Identifier: Apache-2.0
// The activity of this process's threads, as the kernel reports it.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuvette::os {

struct ThreadActivity {
  enum class State {
    running,
    sleeping,  // until a time that it has chosen (nanosleep and the like)
    waiting,   // for another thread of this process, however long that takes (private futex)
    blocked,   // in any other system call
  };
  std::string name;
  State state;
  std::string turns;  // changes whenever it gets a processor; empty if the system does not report
                      // it or the thread runs

  bool operator==(const ThreadActivity&) const = default;
};

// Returns the activity of each thread but the calling one, up to and including the first for which
// `last` is true; empty if the system does not report it. Reads files under /proc, some 10 µs for
// each thread.
std::vector<ThreadActivity> thread_activities(bool (*last)(const ThreadActivity&) = nullptr);

// The calling thread's number, by which the system names it, and its name.
uint32_t thread_id();
std::string thread_name();

// Makes the calling thread's sleeps end when they should, and not some 50 µs later to save power.
void wake_on_time();

}  // namespace cuvette::os
