// SPDX-License-Identifier: Apache-2.0
// Runs of an exercise's program that measure something: its reports, a count.
//
// Threads: for a process with one thread.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/course/program.hpp"

namespace cuvette::tools {

struct ReportedRun {
  Ended ended;
  std::vector<std::pair<std::string, std::string>> reports;  // identifier, sentence
};

// Runs it with these checks of CUVETTE_CHECK.
ReportedRun run_with_checks(const ExerciseProgram& program, const std::string& checks,
                            const ExerciseProgram::Environment& more);

struct Measured {
  std::optional<double> value;
  std::string problem;  // why there is none, a sentence
};

// `count`: a word of counts.hpp.
Measured measure(const ExerciseProgram& program, const std::string& count,
                 const std::string& kernel);

}  // namespace cuvette::tools
