// SPDX-License-Identifier: Apache-2.0
// A limit of threads, for children of tests.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace cuvette::os {

// Becomes an unprivileged user with at most `count` more threads; false if this process cannot.
inline bool allow_threads(unsigned count) {
  const uid_t user = 100'000 + static_cast<uid_t>(getpid());
  const rlimit limit{1 + count, 1 + count};
  return setrlimit(RLIMIT_NPROC, &limit) == 0 && setresuid(user, user, user) == 0;
}

}  // namespace cuvette::os
