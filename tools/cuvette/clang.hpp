// SPDX-License-Identifier: Apache-2.0
// Finds clang++.
//
// Threads: for a process with one thread.
#pragma once

#include <string>

namespace cuvette::tools {

// Returns the first in PATH of clang++, clang++-24 ... clang++-14; empty if there is none.
std::string first_clang();

}  // namespace cuvette::tools
