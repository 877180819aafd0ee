// SPDX-License-Identifier: Apache-2.0
// Runs one program under many schedules, several at a time, each in its own process.
//
// Threads: for a process with one thread.
#pragma once

#include <signal.h>

#include <chrono>
#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/order.hpp"
#include "tools/cuvette/run.hpp"

namespace cuvette::tools {

struct RunResult {
  struct Report {
    std::string identifier, sentence;
  };
  int wait_status = 0;
  int not_started = 0;  // the exit status that says why the program was not started
  bool timed_out = false;
  bool stopped = false;                  // exploring was stopped: nothing is known of the program
  bool output_matches = false;           // what fails by its output
  std::string output;                    // the end of what the program printed
  std::string standard_output;           // all of that stream, if runs are compared
  std::vector<Report> reports;           // that make it fail
  std::vector<std::string> differences;  // from the run that it is compared with
  Order order;
  std::chrono::duration<double> time{};

  bool failed() const {
    return wait_status != 0 || timed_out || output_matches || !reports.empty() ||
           !differences.empty();
  }
  // `exit status 1`, `signal 11`, ...
  std::string describe() const;
};

// The properties that another run must share with one.
struct Expected {
  Order order;
  std::string standard_output;
  // Digests that changed when the run was repeated.
  std::set<std::string> not_reproducible;
  bool output_is_reproducible = true;
};

class Runs {
 public:
  struct Options {
    RunOptions run;
    const char* command = "explore";  // the command of cuvette, for what it says
    std::optional<std::regex> fails_by_output;
    bool fails_by_report = true;
    bool compares = false;  // runs are to be compared with each other
    std::chrono::duration<double> timeout{60};
    std::optional<std::chrono::steady_clock::time_point> deadline;  // of all runs together
    unsigned jobs = 1;
  };
  explicit Runs(Options options);
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // Runs it once, with `more` variables in its environment, which override the variables that all
  // runs have.
  using Environment = std::vector<std::pair<std::string, std::string>>;
  RunResult run(const std::string& schedule, const Environment& more = {});

  // Whether the runs of run_all() write their orders, which takes a long program time.
  void set_logging(bool logs) { logs_ = logs; }
  // Runs all of `schedules`; `done(index, result)` is called as each ends, in any order. It is not
  // called for runs that did not happen because exploring was stopped.
  void run_all(const std::vector<std::string>& schedules,
               const std::function<void(size_t, const RunResult&)>& done);

  // Why no more runs are made: a signal has arrived, or the time is up.
  bool is_stopped() const { return signal_ != 0 || out_of_time_; }
  int stopping_signal() const { return signal_; }
  // Allows runs although the time is up.
  void forget_time();

  void set_timeout(std::chrono::duration<double> timeout) { options_.timeout = timeout; }
  // From now on, runs that differ fail.
  void expect(Expected expected) { expected_ = std::move(expected); }
  const Options& options() const { return options_; }
  // Returns what the runs of the program find in this variable.
  std::string value_of(const char* variable) const;
  // For files of the runs; it is removed at the end.
  const std::string& folder() const { return folder_; }

 private:
  struct Process;
  bool start(const std::string& schedule, Process& process);
  void finish(Process& process, int wait_status, RunResult& result);
  // Waits a moment for the end of a child or for a signal that stops exploring.
  void wait_a_moment();

  Options options_;
  Environment more_;
  bool logs_ = true;
  std::optional<Expected> expected_;
  std::string folder_;  // for the logs and the reports of the runs
  size_t begun_ = 0;
  sigset_t watched_, before_;  // signals
  int signal_ = 0;
  bool out_of_time_ = false;
};

}  // namespace cuvette::tools
