// SPDX-License-Identifier: Apache-2.0
// `cuvette learn`: leads through the course: lists it, copies exercises out, watches them, gives
// hints, explains.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

struct LearnOptions {
  std::string action;    // start, watch, hint, explain, solution, reset, next; empty: list
  std::string exercise;  // empty: the one begun last
  std::string course, to, compiler;
  std::vector<std::string> answers;  // to the question; empty: they are read
  bool anyway = false;
};

// Returns 0, status_check_failed if something is not the case yet, status_not_gradable, or
// status_own_failure.
int learn(const LearnOptions& options);

}  // namespace cuvette::tools
