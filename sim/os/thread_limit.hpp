// SPDX-License-Identifier: Apache-2.0
// How many more threads the process's limits allow, and how much stack a thread has left.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <functional>

namespace cuvette::os {

// Returns how many more threads fit into `ulimit -v`. Half of what is left is the program's, except
// where that leaves no thread at all. UINT_MAX without a limit.
unsigned threads_that_fit();

// Returns whether the system has room for `count` more threads of this process. It starts them and
// waits until the system no longer counts them, which takes some 50 µs for each.
bool threads_fit(unsigned count);
inline bool another_thread_fits() { return threads_fit(1); }

// Returns how many bytes of its stack the calling thread has not used; SIZE_MAX for the process's
// first thread, since its stack grows. Takes some microseconds.
size_t stack_left();

// Runs `body` with at least `stack` bytes of stack: in the calling thread if it has that much left,
// else in another one, which it waits for. False if the system refused that thread; nothing has run
// then.
bool run_on_stack(size_t stack, const std::function<void()>& body);

}  // namespace cuvette::os
