// SPDX-License-Identifier: Apache-2.0
// Where the loader finds a library for programs that `cuvette run` has not started.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

namespace cuvette::tools {

// Searches LD_LIBRARY_PATH for the file; empty if it is not there.
std::string find_by_library_path(const std::string& library);
// Searches the loader's cache and the system's folders; empty if the file is not there.
std::string find_in_system(const std::string& library);
// Whether the file lies in our own folder of libraries.
bool is_own_library(const std::string& file);

}  // namespace cuvette::tools
