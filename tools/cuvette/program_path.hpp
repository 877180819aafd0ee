// SPDX-License-Identifier: Apache-2.0
// Where a program that a command names is.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

namespace cuvette::tools {

// Returns the file that execvp() would start; empty if there is none.
std::string path_of_program(const std::string& program);

}  // namespace cuvette::tools
