// SPDX-License-Identifier: Apache-2.0
// `cuvette help`: manual pages and completions of all commands, for the build and for packages.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cuvette::tools {

// Handles one of these words after "help", and returns the exit status. Returns nothing if the
// words ask for a command's help.
//
// --man=COMMAND prints its manual page (--man=cuvette: the main page)
//   --completion=SHELL     prints the completion for bash, zsh or fish
//   --write=FOLDER         writes all of them there: man/man1/cuvette.1 and so on
std::optional<int> make_help(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace cuvette::tools
