// SPDX-License-Identifier: Apache-2.0
// How many threads the process's limits have room for, and how much room a thread has.
//
// Threads: any.
#pragma once

#include <cstddef>

namespace cuvette::os {

// How many more threads can be started within `ulimit -v`, half of what is left being the program's
// own (but for the first thread); UINT_MAX without a limit.
unsigned threads_that_fit();

// How many bytes of its stack the calling thread has not used; SIZE_MAX for the process's first
// thread, whose stack grows. Some microseconds.
size_t stack_left();

}  // namespace cuvette::os
