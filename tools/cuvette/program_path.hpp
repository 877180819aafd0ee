// SPDX-License-Identifier: Apache-2.0
// The file of a program that a command names, and what the loader does with it.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

namespace cuvette::tools {

// Returns the file that execvp() would start; empty if there is none.
std::string path_of_program(const std::string& program);

// Returns why the loader would drop LD_LIBRARY_PATH and LD_PRELOAD for the program (it is found as
// execvp() does), as the end of a sentence that begins with its name; empty if it would not.
std::string why_environment_is_dropped(const std::string& program);

}  // namespace cuvette::tools
