// SPDX-License-Identifier: Apache-2.0
#include "sim/os/page.hpp"

#include <unistd.h>

namespace cuvette::os {

size_t page_size() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace cuvette::os
