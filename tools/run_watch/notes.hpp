// SPDX-License-Identifier: Apache-2.0
// The notes of libcuvette_run.so for the `cuvette run` that waits for the program
// (sim/base/run_notes.hpp), and the library's own place.
//
// Threads: any. Everything here may be called in the child of vfork(), where other threads may hold
// any lock: nothing allocates, and only system calls are made.
#pragma once

#include <sys/types.h>

namespace cuvette::run_watch {

// Reads the environment and the place of this library; called once, before the other functions.
void begin();

// Whether a `cuvette run` waits.
bool is_watching();

// The path of this library, and the folder of the others.
const char* own_path();
const char* folder();

// Appends a line: the word, or the word and a reason, the process, and the file if there is one.
void note(const char* word, const char* reason, pid_t process, const char* file);

}  // namespace cuvette::run_watch
