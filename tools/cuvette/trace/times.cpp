// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/times.hpp"

#include <algorithm>

namespace cuvette::tools {
namespace {

using Moment = std::pair<uint64_t, uint64_t>;

}  // namespace

uint64_t Times::after(uint64_t recorded) const {
  if (moments.empty()) return std::clamp(recorded, begin, end);
  const auto place = std::ranges::lower_bound(moments, recorded, {}, &Moment::first);
  return place == moments.end() ? end : place->second;
}

uint64_t Times::before(uint64_t recorded) const {
  if (moments.empty()) return std::clamp(recorded, begin, end);
  const auto place = std::ranges::upper_bound(moments, recorded, {}, &Moment::first);
  return place == moments.begin() ? begin : std::prev(place)->second;
}

Times wall_times(const CheckedRecord& record, const HostTimeline& timeline) {
  Times times;
  times.begin = record.begin();
  times.end = record.end();
  if (!record->processes.empty()) {
    const Record::Process& first = record->processes.front();
    times.unix_begin = first.began_unix_ns - first.began + times.begin;
  }
  times.calls.resize(record->calls.size());
  times.commands.resize(record->commands.size());
  times.submissions.resize(record->commands.size());
  for (uint32_t command = 0; command < record->commands.size(); ++command)
    times.submissions[command] = record->commands[command].submitted;
  for (const auto& items : timeline.threads)
    for (const HostTimeline::Item& item : items) switch (item.what) {
        case HostTimeline::What::call_begins:
          times.calls[item.index].begin = item.time;
          break;
        case HostTimeline::What::call_ends:
          times.calls[item.index].end = item.time;
          break;
        case HostTimeline::What::command_submitted:
          times.submissions[item.index] = item.time;
          break;
      }

  // A command that never began is shown behind all that did in its stream.
  std::vector<uint64_t> last(record->streams.size(), 0);
  const auto last_of = [&](uint32_t stream) {
    return stream == Record::none ? times.end : last[stream];
  };
  for (uint32_t command = 0; command < record->commands.size(); ++command) {
    const Record::Command& one = record->commands[command];
    if (one.began == Record::open) continue;
    times.commands[command] = {one.began,
                               record.end(one.ended, record.process_of_command(command))};
    if (one.stream != Record::none)
      last[one.stream] = std::max(last[one.stream], times.commands[command].end);
  }
  for (uint32_t command = 0; command < record->commands.size(); ++command) {
    const Record::Command& one = record->commands[command];
    if (one.began != Record::open) continue;
    const uint64_t time = std::max(times.submissions[command], last_of(one.stream));
    times.commands[command] = {time, time};
  }
  return times;
}

}  // namespace cuvette::tools
