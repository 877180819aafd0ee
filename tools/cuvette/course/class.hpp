// SPDX-License-Identifier: Apache-2.0
// `cuvette grade EXERCISE --class FOLDER`: grades the submissions of a class, each in a sandbox,
// and makes a table of them.
//
// Threads: for a process with one thread.
#pragma once

#include "tools/cuvette/course/exercise.hpp"
#include "tools/cuvette/course/grade_options.hpp"

namespace cuvette::tools {

// Returns 0 if the table is complete, status_own_failure if there is none.
int grade_class(const Exercise& exercise, const GradeOptions& options);

}  // namespace cuvette::tools
