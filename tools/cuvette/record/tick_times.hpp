// SPDX-License-Identifier: Apache-2.0
// TickTimes: the nanoseconds of a process's ticks.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/cuvette/record/raw_file.hpp"

namespace cuvette::tools {

class TickTimes {
 public:
  explicit TickTimes(std::vector<Raw<record_format::Clock>> clocks);
  // On the machine's monotonic clock.
  uint64_t at(uint64_t ticks) const;
  // From that clock to the calendar's; 0 if it is not known.
  uint64_t unix_at(uint64_t ticks) const;

 private:
  std::vector<Raw<record_format::Clock>> clocks_;  // both clocks rise
};

}  // namespace cuvette::tools
