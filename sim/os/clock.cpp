// SPDX-License-Identifier: Apache-2.0
#include "sim/os/clock.hpp"

#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace cuvette::os {

int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

int64_t unix_ns() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

namespace {

bool has_even_counter() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  // "Invariant TSC"
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
  return false;
#endif
}

}  // namespace

namespace detail {
const bool counter_is_even = has_even_counter();
}  // namespace detail

}  // namespace cuvette::os
