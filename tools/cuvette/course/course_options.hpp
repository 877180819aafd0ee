// SPDX-License-Identifier: Apache-2.0
// The options of `cuvette grade` and `cuvette learn`. Each function adds a command; parsing it
// fills the struct that the function was given.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/cuvette/course/grade.hpp"
#include "tools/cuvette/course/learn.hpp"

namespace cuvette::tools {

CLI::App* add_grade(CLI::App& app, GradeOptions& options);
CLI::App* add_learn(CLI::App& app, LearnOptions& options);

}  // namespace cuvette::tools
