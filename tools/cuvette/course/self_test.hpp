// SPDX-License-Identifier: Apache-2.0
// `cuvette grade --self-test`: whether an exercise keeps its promises: its start fails by the check
// that exercise.json names, its solution passes all checks, each mutant fails as promised, and what
// learners have to predict can be computed.
//
// Threads: for a process with one thread.
#pragma once

#include "tools/cuvette/course/grade_options.hpp"

namespace cuvette::tools {

// Tests the exercise that the options name, or else the whole course. Returns 0 if all promises are
// kept, status_check_failed if not, status_own_failure if there is nothing to test.
int self_test(const GradeOptions& options);

}  // namespace cuvette::tools
