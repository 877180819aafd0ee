// SPDX-License-Identifier: Apache-2.0
// The folder that --from=FOLDER names, instead of a program that would fill it.
//
// Threads: for a process with one thread.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "tools/cuvette/shell_word.hpp"

namespace cuvette::tools {

// Returns whether the folder can be read; if not, says why. `command` is the command of cuvette,
// and `variable` the knob that makes such a folder.
inline bool can_read_from(const std::string& folder, const char* command, const char* variable) {
  std::error_code failure;
  [[maybe_unused]] const std::filesystem::directory_iterator entries(folder, failure);
  if (!failure) return true;
  std::string why = "it cannot be read: " + failure.message();
  if (failure == std::errc::no_such_file_or_directory) why = "there is no such folder";
  if (failure == std::errc::not_a_directory) why = "this is no folder";
  fprintf(stderr,
          "cuvette %s: --from=%s: %s; %s=FOLDER in the environment of a program makes such a "
          "folder\n",
          command, shell_word(folder).c_str(), why.c_str(), variable);
  return false;
}

}  // namespace cuvette::tools
