// SPDX-License-Identifier: Apache-2.0
// `cuvette c++`: compiles CUDA C++ with the distribution's clang, and links it with libcudart.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

// Does what the words behind "c++" say and returns the exit status of the command.
int compile(const std::vector<std::string>& words);

}  // namespace cuvette::tools
