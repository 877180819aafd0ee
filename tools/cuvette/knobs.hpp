// SPDX-License-Identifier: Apache-2.0
// The command's complaints about knobs before the program starts, so that the library need not make
// them later.
#pragma once

#include <string>

namespace cuvette::tools {

// Says what is wrong with a value, as the end of a sentence about it; empty if nothing is.
std::string knob_complaint(const std::string& variable, const std::string& value);

// Returns a sentence about the first wrong CUVETTE_ variable; empty if nothing is wrong.
std::string knobs_complaint();

// Makes the files and folders that knobs in the environment name independent of the folder in which
// a process starts: programs such as ctest change it.
void make_paths_absolute();

}  // namespace cuvette::tools
