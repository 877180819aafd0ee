// SPDX-License-Identifier: Apache-2.0
// Runs a program and observes how it ends.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct Ended {
  bool in_time;
  int signal;  // that ended it, or 0
  int status;  // its exit status, if no signal ended it
  std::string output;

  bool well() const { return in_time && signal == 0 && status == 0; }
};

struct Run {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  size_t address_space;  // bytes, as `ulimit -v` sets them; 0: no limit
};

// Runs a program and waits for its end, at most a minute. `on_output` may be empty; it is called
// with the process id when the program has written something for the first time.
Ended run(const Run& what, const std::function<void(int process)>& on_output);
