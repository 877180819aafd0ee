// SPDX-License-Identifier: Apache-2.0
// Times: where a trace shows what a Record holds, on one of two clocks.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tools/cuvette/trace/checked_record.hpp"
#include "tools/cuvette/trace/host_timeline.hpp"

namespace cuvette::tools {

struct Times {
  struct Span {
    uint64_t begin = 0, end = 0;
  };
  std::vector<Span> calls;
  std::vector<Span> commands;  // of one that never began, both are where it is shown
  // By command: when it was submitted, on the thread of its call.
  std::vector<uint64_t> submissions;
  // Moments of the record's clock, in order, and of this one; empty if the clocks are the same.
  std::vector<std::pair<uint64_t, uint64_t>> moments;
  uint64_t begin = 0, end = 0;  // of all
  uint64_t unix_begin = 0;      // what the calendar's clock shows at `begin`

  // Returns the moment of this clock at or after that of the record's clock, or at or before it.
  uint64_t after(uint64_t recorded) const;
  uint64_t before(uint64_t recorded) const;
};

// Nanoseconds of the machine on which the record was made.
Times wall_times(const CheckedRecord& record, const HostTimeline& timeline);

// The order of events. Each command has the same length and begins as soon as it may: after it was
// submitted, after what it waited for, and after all commands that had ended when it began. So two
// runs in which the same happened in the same order have the same times.
Times order_times(const CheckedRecord& record, const HostTimeline& timeline);

}  // namespace cuvette::tools
