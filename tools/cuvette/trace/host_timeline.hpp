// SPDX-License-Identifier: Apache-2.0
// HostTimeline: what the host threads of a Record did, in order. The calls of each thread nest in
// it, whatever the record says of their times.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/cuvette/trace/checked_record.hpp"

namespace cuvette::tools {

struct HostTimeline {
  enum class What : uint8_t { call_begins, call_ends, command_submitted };
  struct Item {
    uint64_t time = 0;  // of the record's clock
    What what = What::call_begins;
    uint32_t index = 0;  // of the call or the command
  };
  // For each thread; a command is submitted by the thread of its call.
  std::vector<std::vector<Item>> threads;
  // The items of all threads in the order of their times.
  struct Place {
    uint32_t thread = 0, item = 0;
  };
  std::vector<Place> all;

  const Item& at(Place place) const { return threads[place.thread][place.item]; }
};

// A call without an end ends at the last time that is known of its process.
HostTimeline host_timeline(const CheckedRecord& record);

}  // namespace cuvette::tools
