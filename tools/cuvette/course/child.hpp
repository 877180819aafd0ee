// SPDX-License-Identifier: Apache-2.0
// Runs a command to its end or for so long, keeps the beginning of what it prints, and leaves no
// process behind.
//
// Threads: for a process with one thread, which has no other children at that time.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {

struct Child {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;  // beside this process's own
  std::string folder;                                            // to run in; empty: this one's
  double seconds = 60;
  size_t most_output = size_t{1} << 20;  // of each stream
  // Called in the new process before it becomes the command; false: it must not.
  std::function<bool()> prepare = {};
  bool dies_whole = false;  // what it has started dies with it
  // Asked now and then while it runs; a sentence says why it has to be killed.
  std::function<std::string(pid_t)> watch = {};
};

struct Ended {
  bool started = false;
  int status = 0;  // as a shell has it: 128 + N if signal N ended it
  bool timed_out = false;
  bool cut = false;    // there was more output
  std::string killed;  // the sentence of `watch`
  double seconds = 0;  // that it took
  std::string output, errors;

  bool passed() const { return started && !timed_out && killed.empty() && status == 0; }
  // "exit status 1", "signal 11 (Segmentation fault)", "it did not end within 10 s"
  std::string describe(double limit) const;
};

// Leaves none of this process's descendants behind.
Ended run_child(const Child& child);

// Runs several at a time; `done(index, ended)` is called as each ends, in any order. At the end it
// leaves none of this process's descendants behind.
void run_children(const std::vector<Child>& children, unsigned jobs,
                  const std::function<void(size_t, const Ended&)>& done);

// This command's own path, to run others of its commands.
std::string own_command();

// From now on SIGINT, SIGTERM and SIGHUP do not end this process but the command that it runs,
// which is then killed.
void hold_signals();
// Whether one of them has come, and which.
bool is_interrupted();
int interrupting_signal();

// Makes this process inherit the children of children that end before them.
void adopt_orphans();
// Returns the processes that descend from the process, parents before their children, without
// zombies.
std::vector<pid_t> descendants(pid_t process);
// Kills all processes that descend from the process, but not itself, and collects those that are
// children of this process.
void kill_descendants(pid_t process);

}  // namespace cuvette::tools
