// SPDX-License-Identifier: Apache-2.0
// Runs one program under many schedules, several at a time, each in a process of its own.
//
// Threads: for a process with one thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "tools/cuvette/run.hpp"

namespace cuvette::tools {

struct RunResult {
  int wait_status = 0;
  bool timed_out = false;
  bool output_matches = false;  // what fails by its output
  std::string output;           // the end of what the program printed
  std::chrono::duration<double> time{};

  bool failed() const { return wait_status != 0 || timed_out || output_matches; }
  // `exit status 1`, `signal 11`, ...
  std::string describe() const;
};

class Runs {
 public:
  struct Options {
    RunOptions run;
    std::optional<std::regex> fails_by_output;
    std::chrono::duration<double> timeout{60};
    unsigned jobs = 1;
  };
  explicit Runs(Options options) : options_(std::move(options)) {}

  // Runs it once, with its order written to `order_log` if that is not empty.
  RunResult run(const std::string& schedule, const std::string& order_log = "");

  // Runs all of `schedules`; `done(index, result)` is called as each ends, in any order.
  void run_all(const std::vector<std::string>& schedules,
               const std::function<void(size_t, const RunResult&)>& done);

  void set_timeout(std::chrono::duration<double> timeout) { options_.timeout = timeout; }
  const Options& options() const { return options_; }

 private:
  struct Process;
  bool start(const std::string& schedule, Process& process);
  void finish(Process& process, int wait_status, RunResult& result);

  Options options_;
};

}  // namespace cuvette::tools
