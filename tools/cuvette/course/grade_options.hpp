// SPDX-License-Identifier: Apache-2.0
// What `cuvette grade` is asked for, and the exit statuses of the commands of the course.
//
// Threads: any.
#pragma once

#include <string>

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

}  // namespace cuvette::tools
