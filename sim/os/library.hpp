// SPDX-License-Identifier: Apache-2.0
// Functions of libraries that the program has loaded, or not: nothing is loaded here.
//
// Threads: any.
#pragma once

namespace cuvette::os {

// The address of `symbol` in `library` (its SONAME) if the program has that loaded, else null.
// `library` null: in anything the program has loaded.
void* find_loaded(const char* library, const char* symbol);

}  // namespace cuvette::os
