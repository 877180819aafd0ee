// SPDX-License-Identifier: Apache-2.0
// What the file is and what it lacks.
#include <algorithm>
#include <string>

#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {

void add_about(TraceParts& parts) {
  const CheckedRecord& record = parts.record;
  const PerfettoTrace::Track group =
      parts.file.track(0, "This trace", "What its times are, and what it lacks");
  auto notes = parts.file.notes();
  notes.add("made by", "cuvette trace");
  notes.add("commands", record->commands.size());
  notes.add("calls", record->calls.size());
  notes.add("reports", record->reports.size());
  if (record->unreadable) notes.add("unreadable records", record->unreadable);
  if (parts.left_out) notes.add("left out", parts.left_out);
  const PerfettoTrace::Track times = parts.file.track(group, "times", "");
  parts.file.instant(times, parts.times.begin,
                     parts.is_wall ? "nanoseconds of this machine; a GPU's are others"
                                   : "the order of events; lengths are no times",
                     "about", notes);
  for (uint32_t process = 0; process < record->processes.size(); ++process) {
    const Record::Process& one = record->processes[process];
    const bool was_cut_off = record.was_cut_off(process);
    if (!was_cut_off && one.dropped == 0) continue;
    const uint64_t end = parts.times.before(record.end(one.ended, process));
    const PerfettoTrace::Track track = parts.file.track(group, parts.words.process(process), "");
    auto about = parts.file.notes();
    if (one.dropped) about.add("dropped records", one.dropped);
    parts.file.instant(track, end,
                       was_cut_off ? "killed, or left by _exit()" : "some records found no room",
                       "about", about);
  }
}

}  // namespace cuvette::tools
