// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/history.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tools/cuvette/page/byte_spaces.hpp"

namespace cuvette::tools {
namespace {

// A relation of more commands than this would take too much memory; nothing is said about order
// then.
constexpr size_t most_ordered = 2048;

History::Reason::Why reason_of(Record::Edge::Why why) {
  switch (why) {
    case Record::Edge::Why::event:
      return History::Reason::Why::event;
    case Record::Edge::Why::legacy_stream:
      return History::Reason::Why::legacy_stream;
    case Record::Edge::Why::semaphore:
      return History::Reason::Why::semaphore;
    case Record::Edge::Why::graph:
      return History::Reason::Why::graph;
    case Record::Edge::Why::other:
      break;
  }
  return History::Reason::Why::other;
}

}  // namespace

History::History(RunLog log, Record record, RunEnd end)
    : log_(std::move(log)), record_(std::move(record)), end_(std::move(end)) {
  find_commands();
  find_places();
  find_reasons();
  find_order();
  find_touches();
}

const RunLog::Work* History::next(size_t position) const {
  return position < log_.began.size() ? &log_.works[log_.began[position]] : nullptr;
}

const RunLog::Work* History::last(size_t position) const {
  return position > 0 && position <= log_.began.size() ? &log_.works[log_.began[position - 1]]
                                                       : nullptr;
}

std::optional<size_t> History::position_after(const WorkName& name) const {
  for (size_t i = 0; i < log_.began.size(); ++i)
    if (log_.works[log_.began[i]].name == name) return i + 1;
  return std::nullopt;
}

size_t History::line_at(size_t position) const {
  const RunLog::Work* const work = next(position);
  return work ? work->began : log_.lines;
}

uint64_t History::time_at(size_t position) const {
  if (position >= log_.began.size()) return UINT64_MAX;
  const uint32_t command = commands_[log_.began[position]];
  return command == none || record_.commands[command].began == Record::open
             ? UINT64_MAX
             : record_.commands[command].began;
}

void History::find_commands() {
  std::map<WorkName, uint32_t> known;
  for (uint32_t i = 0; i < record_.commands.size(); ++i) {
    const Record::Command& one = record_.commands[i];
    known.try_emplace({static_cast<uint32_t>(record_.streams[one.stream].id), one.number, one.step},
                      i);
  }
  works_.assign(record_.commands.size(), RunLog::never);
  for (size_t i = 0; i < log_.works.size(); ++i) {
    const auto found = known.find(log_.works[i].name);
    commands_.push_back(found == known.end() ? none : found->second);
    if (found != known.end()) works_[found->second] = i;
  }
}

// The record knows lines of source.
void History::find_places() {
  for (size_t i = 0; i < log_.works.size(); ++i)
    if (commands_[i] != none && !record_.commands[commands_[i]].call_site.empty())
      log_.works[i].call_site = record_.commands[commands_[i]].call_site;
  std::vector<bool> taken(record_.memories.size());
  for (RunLog::Memory& memory : log_.memories)
    for (size_t i = 0; i < record_.memories.size(); ++i) {
      const Record::Memory& one = record_.memories[i];
      if (taken[i] || one.address != memory.address || one.size != memory.size) continue;
      taken[i] = true;
      if (!one.call_site.empty()) memory.call_site = one.call_site;
      if (memory.name.empty()) memory.name = one.name;
      break;
    }
}

void History::find_reasons() {
  reasons_.resize(log_.works.size());
  std::map<uint32_t, size_t> last_of_lane;
  for (size_t i = 0; i < log_.works.size(); ++i) {
    const WorkName& name = log_.works[i].name;
    if (name.step != 0) {
      if (const RunLog::Work* launch = log_.find({name.lane, name.number, 0}))
        reasons_[i].push_back(
            {static_cast<size_t>(launch - log_.works.data()), Reason::Why::launch});
      continue;
    }
    if (const auto before = last_of_lane.find(name.lane); before != last_of_lane.end())
      reasons_[i].push_back({before->second, Reason::Why::same_stream});
    last_of_lane[name.lane] = i;
  }
  for (const Record::Edge& edge : record_.edges) {
    const size_t from = works_[edge.from], to = works_[edge.to];
    if (from == RunLog::never || to == RunLog::never || from == to) continue;
    const bool known =
        std::ranges::any_of(reasons_[to], [&](const Reason& one) { return one.work == from; });
    if (!known) reasons_[to].push_back({from, reason_of(edge.why)});
  }
}

// A relation over works in the order of submission: an earlier one comes first in it, too, but for
// what a semaphore orders; that is found by repeating.
void History::find_order() {
  const size_t count = log_.works.size();
  if (count > most_ordered) return;
  before_.assign(count, std::vector<bool>(count));
  std::vector<std::vector<size_t>> steps(count);  // of a launch: they end before it does
  for (size_t i = 0; i < count; ++i)
    if (const WorkName& name = log_.works[i].name; name.step != 0)
      if (const RunLog::Work* launch = log_.find({name.lane, name.number, 0}))
        steps[static_cast<size_t>(launch - log_.works.data())].push_back(i);
  std::vector<std::vector<size_t>> direct(count);
  for (size_t i = 0; i < count; ++i)
    for (const Reason& reason : reasons_[i]) {
      direct[i].push_back(reason.work);
      if (reason.why == Reason::Why::launch) continue;
      direct[i].insert(direct[i].end(), steps[reason.work].begin(), steps[reason.work].end());
    }
  // What a thread submits after it has waited for a command; of each lane the last one counts.
  for (size_t i = 0; i < count; ++i) {
    if (commands_[i] == none) continue;
    const Record::Command& later = record_.commands[commands_[i]];
    std::map<uint32_t, size_t> waited;  // by lane
    for (const Record::HostWait& wait : record_.host_waits) {
      const size_t work = works_[wait.command];
      const Record::Call& call = record_.calls[wait.call];
      if (work == RunLog::never || later.submitted < call.ended) continue;
      if (later.call != none && record_.calls[later.call].thread != call.thread) continue;
      const WorkName& name = log_.works[work].name;
      const auto [known, fresh] = waited.try_emplace(name.lane, work);
      if (!fresh && log_.works[known->second].name < name) known->second = work;
    }
    for (const auto& [lane, work] : waited) {
      direct[i].push_back(work);
      direct[i].insert(direct[i].end(), steps[work].begin(), steps[work].end());
    }
  }
  for (bool changed = true; std::exchange(changed, false);)
    for (size_t i = 0; i < count; ++i)
      for (const size_t from : direct[i]) {
        if (from == i) continue;
        const auto add = [&](size_t earlier) {
          if (before_[i][earlier] || earlier == i) return;
          before_[i][earlier] = true;
          changed = true;
        };
        if (!before_[i][from]) add(from);
        for (size_t j = 0; j < count; ++j)
          if (before_[from][j]) add(j);
      }
}

bool History::are_ordered(size_t one, size_t other) const {
  if (before_.empty()) return true;
  const auto is_part = [&](size_t step, size_t launch) {
    const WorkName &a = log_.works[step].name, &b = log_.works[launch].name;
    return a.lane == b.lane && a.number == b.number && b.step == 0;
  };
  return one == other || before_[one][other] || before_[other][one] || is_part(one, other) ||
         is_part(other, one);
}

void History::find_touches() {
  touches_.resize(log_.works.size());
  const ByteSpaces spaces(record_);
  for (const Record::Touch& touch : record_.touches) {
    const size_t work = works_[touch.command];
    if (work == RunLog::never) continue;
    Touch one{"host", touch.memory, touch.address, touch.address + touch.size, touch.writes};
    if (const auto place = spaces.place_of(touch.memory, touch.address)) {
      one.memory = std::to_string(place->space);
      one.begin = place->offset;
      one.end = place->offset + touch.size;
    }
    touches_[work].push_back(std::move(one));
  }
}

}  // namespace cuvette::tools
