// SPDX-License-Identifier: Apache-2.0
// Words for a shell.
//
// Threads: any; a pure function.
#pragma once

#include <string>

namespace cuvette::tools {

// Returns the word as a shell reads it, in quotes if it needs any.
inline std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]#~`!{}^") == std::string::npos)
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace cuvette::tools
