// SPDX-License-Identifier: Apache-2.0
// The words of the command line: finds where the program begins, and suggests a name for a misspelt
// option or command.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cuvette::tools {

// Returns the words of the command line as CLI11 wants them. For `runs`, a command that runs a
// program (else null), the program and its arguments go to `program`: they are what follows the
// first "--", even if it looks like an option, or begin with the first word that is neither an
// option nor the value of one.
std::vector<std::string> words_of(int argc, char** argv, const CLI::App* runs,
                                  std::vector<std::string>& program);

// Suggests existing options in place of unknown ones.
void propose_options(const CLI::App& app, const std::vector<std::string>& words);

// Suggests a command in place of an unknown one. Returns false if none is similar.
bool refuse_command(const CLI::App& app, std::string_view word);

}  // namespace cuvette::tools
