// SPDX-License-Identifier: Apache-2.0
// The layout of --help.
//
// Threads: for a process with one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>

namespace cuvette::tools {

// The help of commands that take a program and its arguments, which CLI11 does not see.
class RunFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* command, std::string) const override {
    const bool may_be_absent = command->get_name() == "doctor";
    return "Usage: cuvette " + command->get_name() + " [OPTIONS] " +
           (may_be_absent ? "[[--] PROGRAM]" : "[--] PROGRAM [ARGUMENTS...]") + "\n\n";
  }
};

// Breaks a sentence into lines for the right column of the help.
inline std::string wrapped(const std::string& sentence) {
  constexpr size_t width = 64;
  std::string text;
  size_t column = 0;
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
    if (column && column + 1 + word.size() > width) {
      text += '\n';
      column = 0;
    } else if (column) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

}  // namespace cuvette::tools
