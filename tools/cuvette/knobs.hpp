// SPDX-License-Identifier: Apache-2.0
// What the command has to say of knobs: better before the program starts than by the library in it.
#pragma once

#include <string>

namespace cuvette::tools {

// What is wrong with a value, as the end of a sentence about it; empty if nothing is.
std::string knob_complaint(const std::string& variable, const std::string& value);

// The first sentence about a CUVETTE_ variable of the environment; empty if nothing is wrong.
std::string knobs_complaint();

}  // namespace cuvette::tools
