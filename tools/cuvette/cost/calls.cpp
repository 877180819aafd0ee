// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/calls.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace cuvette::tools {
namespace {

// Functions that may make or free memory.
bool concerns_memory(const std::string& function) {
  for (const char* part : {"Mem", "Malloc", "Free", "Array", "Graphics", "Host"})
    if (function.find(part) != std::string::npos) return true;
  return false;
}

// The outermost calls of one process that may make or free memory, by their beginnings.
struct Candidates {
  std::vector<uint32_t> calls;
  double longest = 0;  // of the calls: none that began earlier than this before a time covers it
};

// Returns the call during which something happened; none if there is none.
uint32_t call_at(const Record& record, const Candidates& candidates, uint64_t time) {
  const auto& calls = candidates.calls;
  auto after = std::upper_bound(
      calls.begin(), calls.end(), time,
      [&](uint64_t wanted, uint32_t call) { return wanted < record.calls[call].began; });
  while (after != calls.begin()) {
    const uint32_t call = *--after;
    if (record.calls[call].ended >= time) return call;
    if (static_cast<double>(time - record.calls[call].began) > candidates.longest) break;
  }
  return Record::none;
}

}  // namespace

std::string plain_function(const std::string& function) {
  std::string name = function;
  for (const char* ending : {"_ptsz", "_ptds"})
    if (name.ends_with(ending)) name.resize(name.size() - 5);
  const size_t version = name.rfind("_v");
  if (version != std::string::npos && version + 2 < name.size() &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(version) + 2, name.end(),
                  [](unsigned char digit) { return std::isdigit(digit); }))
    name.resize(version);
  return name;
}

std::string priced_as(const std::string& function) {
  static const std::map<std::string, std::string> others = {
      {"cuGraphInstantiateWithFlags", "cuGraphInstantiate"},
      {"cuGraphInstantiateWithParams", "cuGraphInstantiate"},
      {"cuEventRecordWithFlags", "cuEventRecord"},
      {"cuMemHostAlloc", "cuMemAllocHost"},
      {"cuMemsetD16", "cuMemsetD8"},
      {"cuMemsetD16Async", "cuMemsetD8Async"},
      {"cuModuleLoadDataEx", "cuModuleLoadData"},
      {"cuModuleLoadFatBinary", "cuModuleLoadData"},
      {"cuStreamCreateWithPriority", "cuStreamCreate"}};
  const auto other = others.find(function);
  return other == others.end() ? function : other->second;
}

bool is_of_runtime(const std::string& function) { return function.starts_with("cuda"); }

std::vector<CallGroup> groups_of(const Record& record) {
  struct Open {
    size_t group;
    uint64_t ended;
    uint64_t driver_ended;  // of the driver's call that is open in it; 0: none
  };
  std::map<uint32_t, Open> open;  // by thread
  std::vector<CallGroup> groups;
  for (uint32_t i = 0; i < record.calls.size(); ++i) {
    const Record::Call& call = record.calls[i];
    const auto found = open.find(call.thread);
    const bool is_inner = found != open.end() && call.began < found->second.ended &&
                          call.ended <= found->second.ended;
    if (!is_inner) {
      groups.push_back({i, {}});
      open[call.thread] = {groups.size() - 1, call.ended, 0};
    }
    Open& around = open[call.thread];
    if (is_of_runtime(call.function) || (around.driver_ended && call.began < around.driver_ended))
      continue;
    around.driver_ended = call.ended;
    groups[around.group].of_driver.push_back(i);
  }
  return groups;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.insert(word);
  return words;
}

double time_here(const Record::Call& call) {
  return call.ended == Record::open || call.ended < call.began
             ? 0
             : static_cast<double>(call.ended - call.began);
}

BusyTimes::BusyTimes(const Record& record) {
  for (const Record::Command& command : record.commands)
    if (command.began < command.ended && command.ended != Record::open)
      spans_.emplace_back(command.began, command.ended);
  std::sort(spans_.begin(), spans_.end());
  size_t count = 0;
  for (const auto& span : spans_) {
    if (count > 0 && span.first <= spans_[count - 1].second)
      spans_[count - 1].second = std::max(spans_[count - 1].second, span.second);
    else
      spans_[count++] = span;
  }
  spans_.resize(count);
}

double BusyTimes::idle_between(uint64_t begin, uint64_t end) const {
  if (end <= begin) return 0;
  uint64_t idle = end - begin;
  auto span = std::upper_bound(spans_.begin(), spans_.end(), begin,
                               [](uint64_t time, const auto& each) { return time < each.second; });
  for (; span != spans_.end() && span->first < end; ++span)
    idle -= std::min(end, span->second) - std::max(begin, span->first);
  return static_cast<double>(idle);
}

MadeMemory::MadeMemory(const Record& record, const std::vector<CallGroup>& groups)
    : made_(record.calls.size(), Record::none), freed_(record.calls.size(), Record::none) {
  std::map<uint32_t, Candidates> candidates;  // by process
  for (const CallGroup& group : groups) {
    const Record::Call& call = record.calls[group.outermost];
    if (!concerns_memory(call.function) || call.thread >= record.threads.size()) continue;
    Candidates& of_process = candidates[record.threads[call.thread].process];
    of_process.calls.push_back(group.outermost);
    of_process.longest = std::max(of_process.longest, time_here(call));
  }
  for (uint32_t i = 0; i < record.memories.size(); ++i) {
    const Record::Memory& memory = record.memories[i];
    const auto found = candidates.find(memory.process);
    if (found == candidates.end()) continue;
    const uint32_t maker = call_at(record, found->second, memory.began);
    if (maker != Record::none && made_[maker] == Record::none) made_[maker] = i;
    if (memory.ended == Record::open) continue;
    const uint32_t end = call_at(record, found->second, memory.ended);
    if (end != Record::none && freed_[end] == Record::none) freed_[end] = i;
  }
}

}  // namespace cuvette::tools
