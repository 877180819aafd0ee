// SPDX-License-Identifier: Apache-2.0
#include "sim/os/placeholder_fd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cuvette::os {

Segment::Identity place_file_on(int number) {
  const int file = memfd_create("cuvette-taken", MFD_CLOEXEC);
  if (file < 0) return {};
  // It may have got the number itself. Otherwise the lowest that is free from there on is asked
  // for, and not the number: another thread may have opened something there.
  const int got = file == number ? file : fcntl(file, F_DUPFD_CLOEXEC, number);
  const Segment::Identity identity = got == number ? identity_of_fd(file) : Segment::Identity{};
  if (got >= 0 && got != number) close(got);
  if (file != number) close(file);
  return identity;
}

}  // namespace cuvette::os
