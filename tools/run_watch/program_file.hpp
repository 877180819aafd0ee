// SPDX-License-Identifier: Apache-2.0
// Reads from a program's file how it will run.
//
// Threads: any; like notes.hpp.
#pragma once

namespace cuvette::run_watch {

// Returns why a program that uses CUDA will not find Cuvette's libraries in `folder`, one of the
// reasons of sim/base/run_notes.hpp: the program is static, the loader drops the environment, or
// `environment` does not name the libraries. Null if it will find them, or does not use CUDA.
// `file` may be null.
const char* why_missed(const char* file, char* const* environment, const char* folder);

// Returns the right for which the loader drops LD_LIBRARY_PATH and LD_PRELOAD, as the end of a
// sentence that begins with the program; null if the file has none.
const char* other_rights(const char* file);

// Finds the file that execvp() would start; false if there is none. `path` has PATH_MAX bytes.
bool find_program(const char* name, char* path);

}  // namespace cuvette::run_watch
