// SPDX-License-Identifier: Apache-2.0
// How many more threads the process's limits allow, and how much stack a thread has left.
//
// Threads: any.
#pragma once

#include <cstddef>

namespace cuvette::os {

// Returns how many more threads fit into `ulimit -v`. Half of what is left is the program's, except
// where that leaves no thread at all. UINT_MAX without a limit.
unsigned threads_that_fit();

// Returns how many bytes of its stack the calling thread has not used; SIZE_MAX for the process's
// first thread, whose stack grows. Takes some microseconds.
size_t stack_left();

}  // namespace cuvette::os
