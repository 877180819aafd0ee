// SPDX-License-Identifier: Apache-2.0
// The line that runs a program again under a schedule.
//
// Threads: any; a pure function.
#pragma once

#include <string>

#include "tools/cuvette/run.hpp"
#include "tools/cuvette/shell_word.hpp"

namespace cuvette::tools {

inline std::string repeat_line(const RunOptions& options, const std::string& schedule) {
  std::string text = "cuvette run --schedule=" + shell_word(schedule);
  for (const auto& [variable, value] : options.environment)
    text += " --env " + shell_word(variable + "=" + value);
  text += " --";
  for (const std::string& word : options.program) text += " " + shell_word(word);
  return text;
}

}  // namespace cuvette::tools
