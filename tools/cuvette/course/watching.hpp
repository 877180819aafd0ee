// SPDX-License-Identifier: Apache-2.0
// Grades an exercise again whenever the learner saves it, until a signal comes.
//
// Threads: for a process with one thread.
#pragma once

#include "tools/cuvette/course/course.hpp"
#include "tools/cuvette/course/grading.hpp"

namespace cuvette::tools {

// Returns 0 after Ctrl-C, SIGTERM or SIGHUP if the last grade was a success, status_check_failed
// otherwise; status_own_failure if the file cannot be watched.
int watch_exercise(const Course& course, const Exercise& exercise, const GradeSettings& settings);

// Keeps the grade of the learner's own file. Returns whether that was possible.
bool keep_grade(const Exercise& exercise, const Grade& grade);

}  // namespace cuvette::tools
