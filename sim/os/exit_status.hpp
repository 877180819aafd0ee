// SPDX-License-Identifier: Apache-2.0
// The last word about the status that the process exits with.
//
// Threads: decide_exit_status() once.
#pragma once

namespace cuvette::os {

// When the process ends by exit() or by leaving main, `decide` gets its status and returns the one
// to exit with. It is called after the program's exit handlers and destructors, but not in a child
// after fork() and not after _exit().
void decide_exit_status(int (*decide)(int status));

}  // namespace cuvette::os
