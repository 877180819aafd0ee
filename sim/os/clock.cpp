// SPDX-License-Identifier: Apache-2.0
#include "sim/os/clock.hpp"

#include <ctime>

namespace cuvette::os {

int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace cuvette::os
