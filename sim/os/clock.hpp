// SPDX-License-Identifier: Apache-2.0
// The clock that events are timed with: CLOCK_MONOTONIC in nanoseconds.
#pragma once

#include <cstdint>

namespace cuvette::os {

int64_t now_ns();

}  // namespace cuvette::os
