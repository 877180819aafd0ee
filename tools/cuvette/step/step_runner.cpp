// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/step_runner.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/cuvette/explore_runs.hpp"
#include "tools/cuvette/record/read.hpp"
#include "tools/cuvette/signal_text.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

constexpr double first_timeout = 60;

std::string sentence_about(const RunResult& result, double timeout) {
  if (result.timed_out)
    return "did not end within " + std::to_string(std::lround(timeout)) +
           " s, and was stopped (--timeout)";
  if (WIFSIGNALED(result.wait_status))
    return "was ended by " + signal_text(WTERMSIG(result.wait_status));
  return "has ended with exit status " + std::to_string(WEXITSTATUS(result.wait_status));
}

// The log of the process that ran the most commands, and the process's number.
struct ChosenLog {
  RunLog log;
  std::string process;
  size_t processes = 0;
};

ChosenLog choose_log(const std::string& folder) {
  ChosenLog chosen;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("log-")) continue;
    RunLog log = RunLog::parse(whole_file(entry.path().string()).value_or(""));
    ++chosen.processes;
    if (chosen.processes > 1 && log.works.size() <= chosen.log.works.size()) continue;
    chosen.log = std::move(log);
    chosen.process = name.substr(4);
  }
  return chosen;
}

// Reads the records of one process: numbers of streams are its own.
Record record_of_process(const std::string& folder, const std::string& process) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().stem().string();
    if (name.substr(0, name.find('-')) == process) continue;
    std::error_code ignored;
    fs::remove(entry.path(), ignored);
  }
  return read_record(folder);
}

Runs::Options options_for(const RunOptions& program, double timeout) {
  Runs::Options options;
  options.run = program;
  options.command = "step";
  options.compares = true;  // for the streams of output apart, and the same addresses in each run
  options.fails_by_report = false;
  options.timeout = std::chrono::duration<double>(timeout);
  return options;
}

}  // namespace

StepRunner::StepRunner(RunOptions program, double timeout)
    : program_(std::move(program)), timeout_(timeout) {}

std::optional<History> StepRunner::run(const std::string& schedule, size_t bytes, int& status) {
  const double timeout = timeout_ > 0 ? timeout_
                         : first_     ? 10 * first_->count() + 5
                                      : first_timeout;
  // Signals end the command again once it is gone.
  Runs runs(options_for(program_, timeout));
  const std::string record = runs.folder() + "/record";
  const RunResult result = runs.run(schedule, {{"CUVETTE_ORDER_LOG", runs.folder() + "/log-%p"},
                                               {"CUVETTE_ORDER_LOG_BYTES", std::to_string(bytes)},
                                               {"CUVETTE_DIGESTS", "0"},
                                               {"CUVETTE_RECORD", record},
                                               {"CUVETTE_RECORD_TOUCHES", "1"}});
  if (result.stopped) {
    status = 128 + runs.stopping_signal();
    return std::nullopt;
  }
  if (result.not_started != 0) {
    fputs(result.output.c_str(), stderr);
    status = result.not_started;
    return std::nullopt;
  }
  time_ = result.time;
  if (!first_) first_ = result.time;
  ChosenLog chosen = choose_log(runs.folder());
  RunEnd end{sentence_about(result, timeout), result.standard_output,
             result.output.substr(std::min(result.output.size(), result.standard_output.size())),
             chosen.processes, result.wait_status != 0 || result.timed_out};
  return History(std::move(chosen.log), record_of_process(record, chosen.process), std::move(end));
}

std::optional<std::vector<std::string>> StepRunner::course(const std::string& schedule) {
  const double timeout = timeout_ > 0 ? timeout_
                         : first_     ? 10 * first_->count() + 5
                                      : first_timeout;
  Runs runs(options_for(program_, timeout));
  const RunResult result = runs.run(
      schedule, {{"CUVETTE_ORDER_LOG", runs.folder() + "/log-%p"}, {"CUVETTE_DIGESTS", "0"}});
  if (result.stopped || result.not_started != 0) return std::nullopt;
  return choose_log(runs.folder()).log.course;
}

}  // namespace cuvette::tools
