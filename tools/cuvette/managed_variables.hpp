// SPDX-License-Identifier: Apache-2.0
// __managed__ variables for clang, which knows none: it makes a variable of the device and a shadow
// on the host. Its output is changed as text: the variable of the device becomes managed, and
// the host reaches it through a pointer that the runtime fills, as in nvcc's output.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

namespace cuvette::tools {

struct ManagedVariable {
  std::string name;  // the host's
  bool defined;      // or another file's: extern __managed__
};

// The files that a list of dependencies names, as a compiler writes it for make.
std::vector<std::string> dependencies_of(const std::string& list);

// Whether one of the files has the word __managed__, those below `own`, the folder of our headers,
// aside. A file that cannot be read may have it.
bool mention_managed(const std::vector<std::string>& files, const std::string& own);

// The managed variables that a text of LLVM for the host uses or defines.
std::vector<ManagedVariable> managed_variables(const std::string& host);

// Makes the variables managed in PTX. Returns the name of one that the host's side defines and that
// is not there, or nothing.
std::string make_managed(std::string& ptx, const std::vector<ManagedVariable>& variables);

// Takes the shadows out of the host's LLVM, and registers pointers to the variables instead. All
// files of a program have the pointer to a variable that they share.
std::string without_shadows(const std::string& host, const std::vector<ManagedVariable>& variables);

// Replaces the addresses of shadows in assembly by what the pointers hold. Returns the name of a
// variable whose address is wanted before the program runs, or nothing.
std::string through_pointers(std::string& assembly, const std::vector<ManagedVariable>& variables);

}  // namespace cuvette::tools
