// SPDX-License-Identifier: Apache-2.0
// What libcuvette_run.so tells the `cuvette run` that waits for the program
// (sim/base/run_notes.hpp), and what it knows of itself.
//
// Threads: any. Everything here may be called in the child of vfork(), where other threads may hold
// any lock: nothing allocates, and nothing but system calls is called.
#pragma once

#include <sys/types.h>

namespace cuvette::run_watch {

// Reads the environment and the place of this library; called once, before any other.
void begin();

// Whether a `cuvette run` waits.
bool is_watching();

// Where this library is, and the folder that has the others.
const char* own_path();
const char* folder();

// Appends a line: the word, or the word and a reason, the process, and the file if there is one.
void note(const char* word, const char* reason, pid_t process, const char* file);

}  // namespace cuvette::run_watch
