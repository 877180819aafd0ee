// SPDX-License-Identifier: Apache-2.0
// `cuvette run`: starts a program with Cuvette's libcuda.so.1 in front of any other.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cuvette::tools {

// Exit statuses of `cuvette run` that are not the program's own, as env(1) and timeout(1) have
// them.
inline constexpr int status_own_failure = 125;
inline constexpr int status_not_executable = 126;
inline constexpr int status_not_found = 127;

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> environment;  // variable, value
  std::vector<std::string> program;                              // and its arguments
  bool preload = false;
  bool watch_gl = true;  // report what OpenGL does to resources that CUDA has mapped
};

// Runs the program. Returns its exit status (128 + N if signal N killed it) or one of the above;
// does not return where nothing is left to do after the program's end.
int run(const RunOptions& options);

// Returns 0 if there is such a program; otherwise says why not, as `cuvette COMMAND` does, and
// returns one of the above.
int check_program(const std::string& program, const char* command);

}  // namespace cuvette::tools
