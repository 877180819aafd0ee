// SPDX-License-Identifier: Apache-2.0
// Running a program and seeing how it ends.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct Ended {
  bool in_time;
  int signal;  // that ended it, or 0
  int status;  // that it exited with, if no signal
  std::string output;

  bool well() const { return in_time && signal == 0 && status == 0; }
};

struct Run {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  size_t address_space;  // bytes, as `ulimit -v` sets them; 0: no limit
};

// Runs a program and waits for its end, for a minute at most. `on_output` is called with the
// process's number when something has been written for the first time; it may be empty.
Ended run(const Run& what, const std::function<void(int process)>& on_output);
