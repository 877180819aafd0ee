// SPDX-License-Identifier: Apache-2.0
// What is in use and what is pending on each device, over time.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {
namespace {

// A sum that changes over time.
class ChangingSum {
 public:
  void add(uint64_t begin, uint64_t end, uint64_t amount) {
    if (begin >= end) return;
    changes_.emplace_back(begin, static_cast<int64_t>(amount));
    changes_.emplace_back(end, -static_cast<int64_t>(amount));
  }

  // Adds a counter with one value for each time at which the sum changes.
  void write(PerfettoTrace& file, PerfettoTrace::Track parent, std::string_view name,
             PerfettoTrace::Unit unit) {
    if (changes_.empty()) return;
    std::ranges::stable_sort(changes_, {}, &std::pair<uint64_t, int64_t>::first);
    const PerfettoTrace::Track counter = file.counter(parent, name, unit);
    uint64_t sum = 0, written = ~uint64_t{0};  // what cannot be true may overflow
    for (auto change = changes_.begin(); change != changes_.end();) {
      const uint64_t time = change->first;
      for (; change != changes_.end() && change->first == time; ++change)
        sum += static_cast<uint64_t>(change->second);
      if (sum != written) file.count(counter, time, static_cast<int64_t>(sum));
      written = sum;
    }
  }

 private:
  std::vector<std::pair<uint64_t, int64_t>> changes_;
};

// Whether an allocation takes memory of its device. The rest are further addresses of memory that
// was counted elsewhere, or is another API's, or the host's.
bool takes_memory(const Record::Memory& memory) {
  constexpr std::string_view kinds[] = {"device", "array", "pool", "managed", "variable"};
  return memory.device != Record::none && std::ranges::find(kinds, memory.kind) != std::end(kinds);
}

}  // namespace

void add_counters(TraceParts& parts) {
  const CheckedRecord& record = parts.record;
  std::vector<ChangingSum> pending(record->devices.size()), in_use(record->devices.size());
  for (uint32_t command = 0; command < record->commands.size(); ++command) {
    const Record::Command& one = record->commands[command];
    const uint32_t device =
        one.stream == Record::none ? Record::none : record->streams[one.stream].device;
    if (device == Record::none || one.launch != Record::none) continue;
    const bool ended = one.ended != Record::open;
    pending[device].add(parts.times.submissions[command],
                        ended ? parts.times.commands[command].end : parts.times.end, 1);
  }
  for (const Record::Memory& memory : record->memories) {
    if (!takes_memory(memory)) continue;
    in_use[memory.device].add(parts.times.after(memory.began),
                              parts.times.before(record.end(memory.ended, memory.process)),
                              memory.size);
  }
  // Memory that has no address of its own (cuMemCreate) is its segment.
  std::vector<uint32_t> device_of(record->segments.size(), Record::none);
  for (const Record::Memory& memory : record->memories)
    if (memory.segment != Record::none && memory.kind == "mapping")
      device_of[memory.segment] = memory.device;
  for (uint32_t segment = 0; segment < record->segments.size(); ++segment) {
    const Record::Segment& one = record->segments[segment];
    if (device_of[segment] == Record::none || one.origin == "imported") continue;
    in_use[device_of[segment]].add(parts.times.after(one.began),
                                   parts.times.before(record.end(one.ended, one.process)),
                                   one.size);
  }
  for (uint32_t device = 0; device < record->devices.size(); ++device) {
    pending[device].write(parts.file, parts.devices[device], "commands pending",
                          PerfettoTrace::Unit::count);
    in_use[device].write(parts.file, parts.devices[device], "memory in use",
                         PerfettoTrace::Unit::bytes);
  }
}

}  // namespace cuvette::tools
