// SPDX-License-Identifier: Apache-2.0
// Where the loader finds a library for programs that `cuvette run` has not started.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

namespace cuvette::tools {

// Returns the file by LD_LIBRARY_PATH; empty if there is none.
std::string find_by_library_path(const std::string& library);
// Returns the file by the system's cache and folders; empty if there is none.
std::string find_in_system(const std::string& library);
// Whether the file lies in our own folder of libraries.
bool is_own_library(const std::string& file);

}  // namespace cuvette::tools
