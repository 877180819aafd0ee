// SPDX-License-Identifier: Apache-2.0
// `cuvette ptxas`: a stand-in for NVIDIA's assembler, for compilers that want one to make an image
// of their PTX.
//
// Threads: the main one.
#pragma once

#include <optional>
#include <string>

namespace cuvette::tools {

// Does what the command line says if it is one of ptxas: `cuvette ptxas ...`, or under the name
// ptxas. Returns the exit status; nothing if it is another command's.
std::optional<int> ptxas_command_line(int argc, char** argv);

// The text of `cuvette ptxas --help`.
std::string ptxas_help();

}  // namespace cuvette::tools
