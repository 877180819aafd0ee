// SPDX-License-Identifier: Apache-2.0
// `cuvette smi`: what the machine has, asked and answered as by nvidia-smi. The command is this
// alone when it is called by that name.
//
// Threads: for a process with one thread.
#pragma once

#include <optional>
#include <string>

namespace cuvette::tools {

// Does the command line if it is one of `cuvette smi` or of nvidia-smi, and returns its exit
// status; nothing for others.
std::optional<int> smi_command_line(int argc, char** argv);

// The text of --help, under the name that the command was called by.
std::string smi_help(const std::string& called);

}  // namespace cuvette::tools
