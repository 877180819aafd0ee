// SPDX-License-Identifier: Apache-2.0
// Reports, with arrows from what they are about.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {
namespace {

// A report is shown behind all that it is about, since an arrow cannot lead back.
uint64_t time_of_report(const TraceParts& parts, const Record::Report& report) {
  // The order of commands and of threads that look at them is not known, so in the order of events
  // a report comes with the last of its commands.
  uint64_t time = parts.is_wall || (report.commands.empty() && report.calls.empty())
                      ? parts.times.before(report.time)
                      : 0;
  for (const uint32_t command : report.commands)
    time = std::max(time, parts.times.commands[command].end);
  for (const uint32_t call : report.calls) time = std::max(time, parts.times.calls[call].end);
  return time;
}

void write_report(TraceParts& parts, PerfettoTrace::Track track, const Record::Report& report,
                  uint64_t time) {
  auto notes = parts.file.notes();
  notes.add("message", parts.words.text(report.message));
  notes.add("what to do", parts.words.text(report.advice));
  notes.add_repeated("called at", report.call_site);
  notes.add_repeated("severity", report.severity);
  if (report.process != Record::none)
    notes.add_repeated("process", parts.words.process(report.process));
  if (report.size)
    notes.add("bytes", parts.words.bytes(report.memory, report.address, report.size));
  for (const auto& [key, value] : report.facts)
    notes.add(key.empty() ? "fact" : key, parts.words.text(value));
  const PerfettoTrace::Mark mark =
      parts.file.instant(track, time, report.identifier.empty() ? "report" : report.identifier,
                         report.severity, notes);
  for (const uint32_t command : report.commands)
    if (parts.commands[command] != PerfettoTrace::no_mark)
      parts.file.arrow(parts.commands[command], mark);
  for (const uint32_t call : report.calls)
    if (parts.calls[call] != PerfettoTrace::no_mark) parts.file.arrow(parts.calls[call], mark);
}

}  // namespace

void add_reports(TraceParts& parts) {
  const Record& record = *parts.record;
  if (record.reports.empty()) return;
  struct Timed {
    const Record::Report* report;
    uint64_t time;
  };
  std::map<std::string, std::vector<Timed>> kinds;
  for (const Record::Report& report : record.reports)
    kinds[report.identifier].push_back({&report, time_of_report(parts, report)});
  const PerfettoTrace::Track group =
      parts.file.track(0, "Reports", "A track for each kind; docs/reports.md explains them");
  for (auto& [identifier, reports] : kinds) {
    std::ranges::stable_sort(reports, {}, &Timed::time);
    const PerfettoTrace::Track track =
        parts.file.track(group, identifier.empty() ? "report" : identifier, "");
    for (const Timed& timed : reports) write_report(parts, track, *timed.report, timed.time);
  }
}

}  // namespace cuvette::tools
