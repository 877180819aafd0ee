// SPDX-License-Identifier: Apache-2.0
// How many threads the process's limits have room for.
//
// Threads: any.
#pragma once

namespace cuvette::os {

// How many more threads can be started within `ulimit -v`, half of what is left being the program's
// own (but for the first thread); UINT_MAX without a limit.
unsigned threads_that_fit();

}  // namespace cuvette::os
