// SPDX-License-Identifier: Apache-2.0
// The command that the messages of a run name: `cuvette trace` runs a program as `cuvette run`
// does, and what goes wrong is said by the command that the user has typed.
//
// Threads: for a process with one thread.
#pragma once

namespace cuvette::tools {

// "run", unless another command runs the program. `name` must live as long as the process.
void set_command_name(const char* name);
const char* command_name();

}  // namespace cuvette::tools
