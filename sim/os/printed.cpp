// SPDX-License-Identifier: Apache-2.0
#include "sim/os/printed.hpp"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cuvette::os {

std::optional<int64_t> bytes_printed() {
  struct stat status;
  if (fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  // A thread that prints, and waits for this one, must not wait for ever.
  if (ftrylockfile(stdout) == 0) {
    fflush(stdout);
    funlockfile(stdout);
  }
  if (fstat(STDOUT_FILENO, &status) != 0) return std::nullopt;
  return status.st_size;
}

}  // namespace cuvette::os
