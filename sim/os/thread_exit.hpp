// SPDX-License-Identifier: Apache-2.0
// Something to do when the calling thread ends.
#pragma once

namespace cuvette::os {

// Calls `at_exit(argument)` when the calling thread ends (not for the last thread of a process that
// exits). One per thread: a second call replaces the first. `argument` is not null.
void at_thread_exit(void (*at_exit)(void* argument), void* argument);

}  // namespace cuvette::os
