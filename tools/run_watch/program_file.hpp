// SPDX-License-Identifier: Apache-2.0
// What the file of a program says of how it will run.
//
// Threads: any; like notes.hpp.
#pragma once

namespace cuvette::run_watch {

// Returns why a program that uses CUDA will not find Cuvette's libraries in `folder`, one of the
// reasons of sim/base/run_notes.hpp: the loader has no part in it, drops the environment, or is not
// told of the libraries in `environment`. Null if it will find them, or does not use CUDA. `file`
// may be null.
const char* why_missed(const char* file, char* const* environment, const char* folder);

// Finds the file that execvp() would start; false if there is none. `path` has PATH_MAX bytes.
bool find_program(const char* name, char* path);

}  // namespace cuvette::run_watch
