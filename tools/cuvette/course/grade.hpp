// SPDX-License-Identifier: Apache-2.0
// `cuvette grade`: says whether a submission solves an exercise, and if not, why.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

struct GradeOptions {
  std::string exercise, submission, course, compiler;
  bool json = false;
  std::string junit;  // a file
  bool tests_course = false;
  bool shows_answer = false;  // computes what learners have to predict, for teachers
  std::string class_folder;
  std::string csv;       // a file for the table of a class
  double seconds = 20;   // for a submission of a class
  double memory = 2048;  // MiB
  unsigned processes = 64;
  unsigned jobs = 0;
};

// Exit statuses beside those of exit_statuses.hpp.
inline constexpr int status_check_failed = 1;
inline constexpr int status_not_gradable = 2;

// Returns 0 if all checks pass, status_check_failed if one fails, status_not_gradable if nothing
// can be said of the submission, status_own_failure if this command failed.
int grade(const GradeOptions& options);

}  // namespace cuvette::tools
