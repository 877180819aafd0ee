// SPDX-License-Identifier: Apache-2.0
#include "sim/os/page.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace cuvette::os {

size_t page_size() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

bool protect_pages(uint64_t begin, uint64_t end, int protection) {
  return syscall(SYS_mprotect, begin, end - begin, protection) == 0;
}

}  // namespace cuvette::os
