// SPDX-License-Identifier: Apache-2.0
// `cuvette` without a command: what to do next.
//
// Threads: for a process with one thread.
#pragma once

namespace cuvette::tools {

void print_welcome();

}  // namespace cuvette::tools
