// SPDX-License-Identifier: Apache-2.0
// The words of the command line: where a program's begin, and what was meant by those that nothing
// has as a name.
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

// Suggests existing options for those that do not exist.
void propose_options(const CLI::App& app, const std::vector<std::string>& words);

// Says which command was meant by a word that is none; false if there is nothing to say.
bool refuse_command(const CLI::App& app, std::string_view word);

}  // namespace cuvette::tools
