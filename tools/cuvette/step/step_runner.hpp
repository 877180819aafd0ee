// SPDX-License-Identifier: Apache-2.0
// Runs the program of `cuvette step` from its beginning to its end, and returns what happened.
//
// Threads: for a process with one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/cuvette/run.hpp"
#include "tools/cuvette/step/history.hpp"

namespace cuvette::tools {

class StepRunner {
 public:
  // `timeout`: the most that a run takes, in seconds; 0: 60 for the first, then ten times what it
  // took, and 5 more.
  StepRunner(RunOptions program, double timeout);

  // Returns the run; nothing if it could not be made, or was stopped: then `status` is the exit
  // status of the command. `bytes`: of each allocation, to look at.
  std::optional<History> run(const std::string& schedule, size_t bytes, int& status);
  // The same without a look at memory: only how it went on.
  std::optional<std::vector<std::string>> course(const std::string& schedule);

  std::chrono::duration<double> time() const { return time_; }  // that the last run took
  const RunOptions& program() const { return program_; }

 private:
  const RunOptions program_;
  const double timeout_;
  std::optional<std::chrono::duration<double>> first_;
  std::chrono::duration<double> time_{};
};

}  // namespace cuvette::tools
