// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/trace.hpp"

#include <utility>

#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {

Trace trace_of(Record record, TraceTime time) {
  const CheckedRecord checked(std::move(record));
  const HostTimeline timeline = host_timeline(checked);
  const bool is_wall = time == TraceTime::wall;
  const Times times = is_wall ? wall_times(checked, timeline) : order_times(checked, timeline);
  const TraceWords words(checked, is_wall);
  TraceParts parts{checked, timeline, times, words, is_wall, {}, {}, {}, {}, {}, {}, {}, {}, {}, 0};
  add_device_tracks(parts);
  add_host(parts);
  add_commands(parts);
  add_counters(parts);
  add_shared_memory(parts);
  add_resources(parts);
  add_reports(parts);
  add_about(parts);
  Trace trace;
  trace.bytes = parts.file.bytes(times.begin, times.unix_begin);
  trace.marks = parts.file.marks();
  trace.arrows = parts.file.arrows() - parts.file.arrows_left_out();
  trace.arrows_left_out = parts.file.arrows_left_out();
  trace.left_out = parts.left_out;
  return trace;
}

}  // namespace cuvette::tools
