// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/host_timeline.hpp"

#include <algorithm>

namespace cuvette::tools {
namespace {

using Item = HostTimeline::Item;
using What = HostTimeline::What;

// Puts the calls of one thread in order: one that ends after the call around it ends with it.
std::vector<Item> nested(const CheckedRecord& record, std::vector<uint32_t>& calls) {
  const auto end_of = [&](uint32_t call) {
    return record.end(record->calls[call].ended, record.process_of_call(call));
  };
  std::ranges::stable_sort(calls, [&](uint32_t one, uint32_t other) {
    const uint64_t begins = record->calls[one].began, other_begins = record->calls[other].began;
    return begins != other_begins ? begins < other_begins : end_of(one) > end_of(other);
  });
  struct Open {
    uint32_t call;
    uint64_t end;
  };
  std::vector<Item> items;
  std::vector<Open> open;
  const auto close_until = [&](uint64_t time) {
    for (; !open.empty() && open.back().end <= time; open.pop_back())
      items.push_back({open.back().end, What::call_ends, open.back().call});
  };
  for (const uint32_t call : calls) {
    const uint64_t begin = record->calls[call].began;
    uint64_t end = end_of(call);
    close_until(begin);
    if (!open.empty()) end = std::min(end, open.back().end);
    items.push_back({begin, What::call_begins, call});
    open.push_back({call, end});
  }
  close_until(~0ull);
  return items;
}

// Adds the submissions of commands to the calls of one thread, each between the beginning and the
// end of its call.
std::vector<Item> with_submissions(const CheckedRecord& record, const std::vector<Item>& calls,
                                   const std::vector<uint32_t>& commands) {
  std::vector<Item> submissions;
  for (const uint32_t command : commands) {
    const Record::Command& one = record->commands[command];
    const Record::Call& call = record->calls[one.call];
    const uint64_t end = record.end(call.ended, record.process_of_call(one.call));
    submissions.push_back(
        {std::clamp(one.submitted, call.began, end), What::command_submitted, command});
  }
  std::ranges::stable_sort(submissions, {}, &Item::time);
  std::vector<Item> items;
  items.reserve(calls.size() + submissions.size());
  auto next = submissions.begin();
  for (const Item& item : calls) {
    const bool ends = item.what == What::call_ends;
    while (next != submissions.end() &&
           (next->time < item.time || (ends && next->time == item.time)))
      items.push_back(*next++);
    items.push_back(item);
  }
  items.insert(items.end(), next, submissions.end());
  return items;
}

// Puts the items of all threads in the order of their times. A thread's own order stays.
void merge(HostTimeline& timeline) {
  for (uint32_t thread = 0; thread < timeline.threads.size(); ++thread)
    for (uint32_t item = 0; item < timeline.threads[thread].size(); ++item)
      timeline.all.push_back({thread, item});
  std::ranges::stable_sort(
      timeline.all, {}, [&timeline](HostTimeline::Place place) { return timeline.at(place).time; });
}

}  // namespace

HostTimeline host_timeline(const CheckedRecord& checked) {
  const Record& record = *checked;
  std::vector<std::vector<uint32_t>> calls(record.threads.size()), commands(record.threads.size());
  for (uint32_t call = 0; call < record.calls.size(); ++call)
    if (record.calls[call].thread < calls.size()) calls[record.calls[call].thread].push_back(call);
  for (uint32_t command = 0; command < record.commands.size(); ++command) {
    const Record::Command& one = record.commands[command];
    if (one.launch != Record::none || one.call >= record.calls.size()) continue;
    const uint32_t thread = record.calls[one.call].thread;
    if (thread < commands.size()) commands[thread].push_back(command);
  }
  HostTimeline timeline;
  timeline.threads.resize(record.threads.size());
  for (size_t thread = 0; thread < calls.size(); ++thread)
    timeline.threads[thread] =
        with_submissions(checked, nested(checked, calls[thread]), commands[thread]);
  merge(timeline);
  return timeline;
}

}  // namespace cuvette::tools
