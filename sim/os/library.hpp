// SPDX-License-Identifier: Apache-2.0
// Functions of libraries: those that the program has loaded, and one of our own that lies beside
// the library that this code is in.
//
// Threads: any.
#pragma once

#include <string>

namespace cuvette::os {

// The address of `symbol` in `library` (its SONAME) if the program has that loaded, else null.
// `library` null: in anything the program has loaded.
void* find_loaded(const char* library, const char* symbol);

// Loads `library`, a file in the directory of the library or program that holds this code, and
// gives the address of `symbol` in it. It stays loaded; nobody else sees its symbols. Null if that
// failed; `reason` says why.
void* load_beside(const char* library, const char* symbol, std::string& reason);

// What tells one build of the file that holds this code from another; and the same of a library
// that lies beside it, empty if there is none.
std::string own_build();
std::string build_beside(const char* library);

}  // namespace cuvette::os
