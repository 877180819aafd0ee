// SPDX-License-Identifier: Apache-2.0
// Imitates a machine without protection keys for the program that preloads this library.
#include <sys/mman.h>

#include <cerrno>

extern "C" [[gnu::visibility("default")]] int pkey_alloc(unsigned, unsigned) noexcept {
  errno = ENOSPC;
  return -1;
}
