// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/trace/checked_record.hpp"

#include <algorithm>

namespace cuvette::tools {
namespace {

// Viewers have signed times, and add to them.
constexpr uint64_t latest_time = uint64_t{1} << 62;

template <typename T>
void check_index(uint32_t& index, const std::vector<T>& named) {
  if (index >= named.size()) index = Record::none;
}

template <typename T>
void check_index(std::vector<uint32_t>& indices, const std::vector<T>& named) {
  std::erase_if(indices, [&](uint32_t index) { return index >= named.size(); });
}

void check_span(uint64_t& began, uint64_t& ended) {
  began = std::min(began, latest_time);
  if (ended != Record::open) ended = std::clamp(ended, began, latest_time);
}

}  // namespace

CheckedRecord::CheckedRecord(Record record) : record_(std::move(record)) {
  check_indices();
  check_times();
  find_ends();
}

void CheckedRecord::check_indices() {
  Record& r = record_;
  for (auto& thread : r.threads) check_index(thread.process, r.processes);
  for (auto& device : r.devices) check_index(device.process, r.processes);
  for (auto& stream : r.streams) check_index(stream.device, r.devices);
  for (auto& call : r.calls) check_index(call.thread, r.threads);
  for (uint32_t command = 0; command < r.commands.size(); ++command) {
    auto& one = r.commands[command];
    check_index(one.stream, r.streams);
    check_index(one.launch, r.commands);
    check_index(one.call, r.calls);
    // A step of a step, or of itself, is a command of its own.
    if (one.launch == command ||
        (one.launch != Record::none && r.commands[one.launch].launch != Record::none))
      one.launch = Record::none;
  }
  const size_t commands = r.commands.size(), calls = r.calls.size();
  std::erase_if(r.edges, [&](const auto& edge) {
    return edge.from >= commands || edge.to >= commands || edge.from == edge.to;
  });
  std::erase_if(r.host_waits,
                [&](const auto& wait) { return wait.command >= commands || wait.call >= calls; });
  for (auto& segment : r.segments) check_index(segment.process, r.processes);
  for (auto& memory : r.memories) {
    check_index(memory.process, r.processes);
    check_index(memory.device, r.devices);
    check_index(memory.segment, r.segments);
  }
  std::erase_if(r.touches, [&](const auto& touch) { return touch.command >= commands; });
  for (auto& touch : r.touches) check_index(touch.memory, r.memories);
  for (auto& resource : r.resources) check_index(resource.process, r.processes);
  for (auto& report : r.reports) {
    check_index(report.process, r.processes);
    check_index(report.commands, r.commands);
    check_index(report.calls, r.calls);
    check_index(report.memory, r.memories);
  }
}

void CheckedRecord::check_times() {
  Record& r = record_;
  for (auto& process : r.processes) check_span(process.began, process.ended);
  for (auto& call : r.calls) check_span(call.began, call.ended);
  for (auto& command : r.commands) {
    command.submitted = std::min(command.submitted, latest_time);
    if (command.began == Record::open)
      command.ended = Record::open;
    else
      check_span(command.began, command.ended);
  }
  for (auto& segment : r.segments) check_span(segment.began, segment.ended);
  for (auto& memory : r.memories) check_span(memory.began, memory.ended);
  for (auto& resource : r.resources) {
    check_span(resource.began, resource.ended);
    for (auto& [began, ended] : resource.mapped) check_span(began, ended);
  }
  for (auto& report : r.reports) report.time = std::min(report.time, latest_time);
}

void CheckedRecord::note(uint64_t time, uint32_t process) {
  if (time == Record::open) return;
  begin_ = std::min(begin_, time);
  end_ = std::max(end_, time);
  if (process != Record::none) last_[process] = std::max(last_[process], time);
}

void CheckedRecord::note_span(uint64_t began, uint64_t ended, uint32_t process) {
  note(began, process);
  note(ended, process);
}

void CheckedRecord::find_ends() {
  const Record& r = record_;
  last_.assign(r.processes.size(), 0);
  for (uint32_t process = 0; process < r.processes.size(); ++process)
    note_span(r.processes[process].began, r.processes[process].ended, process);
  for (uint32_t call = 0; call < r.calls.size(); ++call)
    note_span(r.calls[call].began, r.calls[call].ended, process_of_call(call));
  for (uint32_t command = 0; command < r.commands.size(); ++command) {
    const uint32_t process = process_of_command(command);
    note(r.commands[command].submitted, process);
    note_span(r.commands[command].began, r.commands[command].ended, process);
  }
  for (const auto& segment : r.segments) note_span(segment.began, segment.ended, segment.process);
  for (const auto& memory : r.memories) note_span(memory.began, memory.ended, memory.process);
  for (const auto& resource : r.resources) {
    note_span(resource.began, resource.ended, resource.process);
    for (const auto& [began, ended] : resource.mapped) note_span(began, ended, resource.process);
  }
  for (const auto& report : r.reports) note(report.time, report.process);
  begin_ = std::min(begin_, end_);
}

uint32_t CheckedRecord::process_of_call(uint32_t call) const {
  const uint32_t thread = call == Record::none ? Record::none : record_.calls[call].thread;
  return thread == Record::none ? Record::none : record_.threads[thread].process;
}

uint32_t CheckedRecord::process_of_stream(uint32_t stream) const {
  const uint32_t device = stream == Record::none ? Record::none : record_.streams[stream].device;
  return device == Record::none ? Record::none : record_.devices[device].process;
}

uint32_t CheckedRecord::process_of_command(uint32_t command) const {
  const Record::Command& one = record_.commands[command];
  const uint32_t process = process_of_stream(one.stream);
  return process != Record::none ? process : process_of_call(one.call);
}

uint64_t CheckedRecord::end(uint64_t ended, uint32_t process) const {
  if (ended != Record::open) return ended;
  return process == Record::none ? end_ : last_[process];
}

bool CheckedRecord::was_cut_off(uint32_t process) const {
  return record_.processes[process].ended == Record::open;
}

}  // namespace cuvette::tools
