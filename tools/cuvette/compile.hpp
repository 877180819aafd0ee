// SPDX-License-Identifier: Apache-2.0
// `cuvette c++`: compiles CUDA C++ with the distribution's clang, and links it with libcudart.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

// Executes the words after "c++" and returns the exit status of the command.
int compile(const std::vector<std::string>& words);

}  // namespace cuvette::tools
