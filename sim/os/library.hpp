// SPDX-License-Identifier: Apache-2.0
// Functions of libraries: the libraries that the program has loaded, and our own beside the library
// that this code is in.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

namespace cuvette::os {

// Returns the address of `symbol` in `library` (a SONAME) if the program has loaded that, else
// null. `library` null: in anything that the program has loaded.
void* find_loaded(const char* library, const char* symbol);

// Loads `library`, a file in the directory of the library or program that holds this code, and
// returns the address of `symbol` in it. It stays loaded; its symbols are local. Null if
// that failed; `reason` says why.
void* load_beside(const char* library, const char* symbol, std::string& reason);

// Loads the file `path`, as above.
void* load(const std::string& path, const char* symbol, std::string& reason);

// Returns the path of the first file `library` in `folders` that is not the one beside the library
// or program that holds this code: NVIDIA's library where ours bears its name. Empty if there is
// none.
std::string find_other(const char* library, const std::vector<std::string>& folders);

// Returns the folders of the files that the program has loaded, each once.
std::vector<std::string> folders_of_loaded();

// Return text that identifies a build: of the file that holds this code, and of a library
// that lies beside it; empty if there is none.
std::string own_build();
std::string build_beside(const char* library);

}  // namespace cuvette::os
