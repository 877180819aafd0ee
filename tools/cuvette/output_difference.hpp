// SPDX-License-Identifier: Apache-2.0
// The first line in which two outputs of a program differ, as a sentence.
//
// Threads: any.
#pragma once

#include <string>

namespace cuvette::tools {

// Returns `line 3 is "sum 5", not "sum 4"`, the end of a sentence about `other`, which should equal
// `expected`.
std::string output_difference(const std::string& expected, const std::string& other);

}  // namespace cuvette::tools
