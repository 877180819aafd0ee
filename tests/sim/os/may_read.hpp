// SPDX-License-Identifier: Apache-2.0
// Whether a byte is there for a thread.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>

namespace cuvette::os {

// Whether this thread may read the byte; otherwise a system call on it answers EFAULT.
inline bool may_read(uint64_t address) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const bool yes = write(ends[1], reinterpret_cast<char*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return yes;
}

}  // namespace cuvette::os
