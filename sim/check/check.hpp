// SPDX-License-Identifier: Apache-2.0
// Watches the program that uses the machine, and reports its mistakes.
//
// Threads: any.
#pragma once

#include <string>

#include "sim/base/needs.hpp"

namespace cuvette::check {

// Returns what the checks that are asked for need, and the adversary of CUVETTE_ALIASES.
Needs needs();

// Starts to watch host accesses to device memory, faults, misuse and, if CUVETTE_CHECK asks for it,
// races. The machine must be running. Calls after the first do nothing.
void attach();

// Returns what is wrong with the names in CUVETTE_SUPPRESS, as a sentence; empty if all are right.
std::string knob_complaint();

}  // namespace cuvette::check
