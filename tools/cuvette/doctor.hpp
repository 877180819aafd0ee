// SPDX-License-Identifier: Apache-2.0
// `cuvette doctor`: finds what keeps programs from running on Cuvette here, and says how to mend
// it.
//
// Threads: for a process with one thread.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

struct DoctorOptions {
  std::vector<std::string> program;  // and its arguments; empty: the machine alone
  bool json = false;
};

// Prints the findings. Returns 0 if nothing is wrong, else 1.
int doctor(const DoctorOptions& options);

}  // namespace cuvette::tools
