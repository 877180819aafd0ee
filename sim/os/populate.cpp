// SPDX-License-Identifier: Apache-2.0
#include "sim/os/populate.hpp"

#include <sys/mman.h>

namespace cuvette::os {

void populate(void* begin, size_t size) {
#if !defined(MADV_POPULATE_WRITE)
  constexpr int MADV_POPULATE_WRITE = 23;
#endif
  // It is an optimisation: nothing depends on its result.
  static_cast<void>(madvise(begin, size, MADV_POPULATE_WRITE));
}

}  // namespace cuvette::os
