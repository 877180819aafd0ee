// SPDX-License-Identifier: Apache-2.0
#include "sim/os/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace cuvette::os {

// The calling thread may be in the middle of the program's own work, so errno stays what it was.
void sleep_while(std::atomic<uint32_t>& word, uint32_t value) {
  const int before = errno;
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
  errno = before;
}

void sleep_while(std::atomic<uint32_t>& word, uint32_t value, int64_t nanoseconds) {
  const int before = errno;
  const timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &limit, nullptr, 0);
  errno = before;
}

void sleep_while_shared(std::atomic<uint32_t>& word, uint32_t value, int64_t nanoseconds) {
  const int before = errno;
  const timespec limit{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
  errno = before;
}

void wake_one(std::atomic<uint32_t>& word) {
  const int before = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = before;
}

void wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace cuvette::os
