// SPDX-License-Identifier: Apache-2.0
// What watches the program that uses the machine, and reports its mistakes.
//
// Threads: any.
#pragma once

#include <string>

namespace cuvette::check {

// Starts watching: host accesses to device memory, and faults of commands. The machine is running;
// the first call does it, the others do nothing.
void attach();

// What is wrong with the names of CUVETTE_SUPPRESS, as a sentence; empty if nothing is.
std::string knob_complaint();

// Whether a host thread that dereferences device memory is stopped: the processor and the kernel
// have protection keys, one was left, and CUVETTE_HOST_ACCESS is not `allow`.
bool guards_host_access();

}  // namespace cuvette::check
