// SPDX-License-Identifier: Apache-2.0
// `cuvette grade`: says whether a submission solves an exercise, and if not, why.
//
// Threads: for a process with one thread.
#pragma once

#include "tools/cuvette/course/grade_options.hpp"

namespace cuvette::tools {

// Returns 0 if all checks pass, status_check_failed if one fails, status_not_gradable if nothing
// can be said of the submission, status_own_failure if this command failed.
int grade(const GradeOptions& options);

}  // namespace cuvette::tools
