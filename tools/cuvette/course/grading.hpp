// SPDX-License-Identifier: Apache-2.0
// Grades a submission: the checks of an exercise in their order, up to the first that fails.
//
// Threads: for a process with one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/cuvette/course/exercise.hpp"

namespace cuvette::tools {

struct GradeSettings {
  std::filesystem::path submission;
  std::string compiler;       // nvcc, or a clang; empty: the one of `cuvette c++`
  unsigned jobs = 0;          // of explore; 0: the number of cores
  bool utf8 = false;          // pictures may have more than ASCII
  bool keeps_program = true;  // so that a failing order can be run again
};

// What the first check that fails has found.
struct Failure {
  CheckKind kind = CheckKind::compile;
  std::string says;                  // in the words of the lesson
  std::string report;                // the identifier that it is about
  std::vector<std::string> reports;  // all identifiers
  std::string details;               // what was expected, and what was there
  std::string output;                // of the compiler or the program
  std::string picture, edge, repeat;
};

struct Grade {
  enum class Verdict : uint8_t { passed, failed, not_gradable };
  Verdict verdict = Verdict::passed;
  std::string why;  // not gradable: a sentence
  std::vector<CheckKind> passed;
  std::optional<Failure> failure;
  size_t not_run = 0;  // checks
};

// The submission's file must be there.
Grade grade_submission(const Exercise& exercise, const GradeSettings& settings);

// What the exercise needs and is not here: "OpenGL"; empty: nothing.
std::string missing_need(const Exercise& exercise);

// The lines of order.txt and answer.txt that mean something, without blanks around them.
std::vector<std::string> lines_of_answer(const std::string& text);

// Of an exercise or of one of its questions.
struct ComputedAnswer {
  std::vector<std::string> lines;  // sorted; of a count one number
  std::string problem;             // why it cannot be used, a sentence; empty: it can
};
ComputedAnswer compute_answer(const Exercise& exercise, const Prediction& prediction,
                              const std::filesystem::path& submission,
                              const GradeSettings& settings);

// Whether the lines are the answer; if not, `how` says how far off they are without giving it away.
bool is_answer(const std::vector<std::string>& lines, const ComputedAnswer& answer,
               const Prediction& prediction, std::string& how);

}  // namespace cuvette::tools
