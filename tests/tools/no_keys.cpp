// SPDX-License-Identifier: Apache-2.0
// A machine without protection keys, for what is preloaded with this.
#include <sys/mman.h>

#include <cerrno>

extern "C" [[gnu::visibility("default")]] int pkey_alloc(unsigned, unsigned) noexcept {
  errno = ENOSPC;
  return -1;
}
