// SPDX-License-Identifier: Apache-2.0
// One sentence about a line: what costs most there, and what to do.
//
// Threads: pure functions.
#pragma once

#include <string>

#include "tools/cuvette/profile/profile_model.hpp"

namespace cuvette::tools {

// Empty if nothing in the line is worth a sentence.
std::string advice(const ProfiledLine& line);
// The same about a kernel's launches: too few blocks, or what limits how many run at a time.
std::string advice(const ProfiledKernel& kernel, const LaunchCounts& launch);

// Returns a / b; 0 if b is 0.
double quotient(uint64_t a, uint64_t b);

// Returns a number with one digit after the point, and none after a whole one: "4", "4.5".
std::string short_number(double number);

}  // namespace cuvette::tools
