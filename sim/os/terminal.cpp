// SPDX-License-Identifier: Apache-2.0
#include "sim/os/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace cuvette::os {

bool stderr_is_terminal() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) && terminal && std::string_view(terminal) != "dumb";
}

}  // namespace cuvette::os
