// SPDX-License-Identifier: Apache-2.0
// The clock that events are timed with, CLOCK_MONOTONIC in nanoseconds, and others.
//
// Threads: any.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace cuvette::os {

int64_t now_ns();

// Nanoseconds since 1970, by the calendar's clock, which may be set.
int64_t unix_ns();

namespace detail {
// Whether the processor's counter runs evenly, and alike on all cores.
extern const bool counter_is_even;
}  // namespace detail

// A count that rises evenly, at a rate of its own, and that is read faster than the clock above.
inline uint64_t ticks() {
#if defined(__x86_64__)
  if (detail::counter_is_even) [[likely]]
    return __rdtsc();
#endif
  return static_cast<uint64_t>(now_ns());
}

}  // namespace cuvette::os
