// SPDX-License-Identifier: Apache-2.0
// __managed__ variables for clang, which knows none: it makes a variable of the device and a shadow
// on the host. What it made is changed in its text: the variable of the device becomes managed, and
// the host reaches it through a pointer that the runtime fills, as in what nvcc makes.
#ifndef CUVETTE_TOOLS_MANAGED_VARIABLES_HPP
#define CUVETTE_TOOLS_MANAGED_VARIABLES_HPP

#include <string>
#include <vector>

namespace cuvette::tools {

// Whether a list of dependencies that the compiler wrote for make names a file with the word
// __managed__, other than in `own`, the folder of our headers.
bool mentions_managed(const std::string& dependencies, const std::string& own);

// The names of the managed variables that a text of LLVM defines for the host.
std::vector<std::string> managed_variables(const std::string& host);

// Makes the variables managed in PTX. Returns the name of one that is not there, or nothing.
std::string make_managed(std::string& ptx, const std::vector<std::string>& names);

// Takes the shadows out of the host's LLVM, and registers pointers to the variables instead.
std::string without_shadows(const std::string& host, const std::vector<std::string>& names);

// Replaces the addresses of shadows in assembly by what the pointers hold. Returns the name of a
// variable whose address is wanted before the program runs, or nothing.
std::string through_pointers(std::string& assembly, const std::vector<std::string>& names);

}  // namespace cuvette::tools

#endif
