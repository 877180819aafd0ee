// SPDX-License-Identifier: Apache-2.0
// Processes with their threads, and the calls of these.
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tools/cuvette/trace/groups.hpp"
#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {
namespace {

using What = HostTimeline::What;

// Numbers for processes and threads. A viewer makes one of two that have the same, which happens
// when the system uses a number again or a program replaces itself (exec); and the number 0 is the
// idle process. The main thread has its process's number, as no other thread may.
class SystemNumbers {
 public:
  explicit SystemNumbers(bool keeps) : keeps_(keeps) {}
  int32_t number(uint32_t id) {
    // Linux has no higher ones.
    constexpr uint32_t highest = 1u << 22;
    uint32_t number = keeps_ && id <= highest ? id : 0;
    if (number == 0 || used_.contains(number)) {
      uint32_t& next = keeps_ ? next_beyond_ : next_;
      number = next++;
    }
    used_.insert(number);
    return static_cast<int32_t>(number);
  }

 private:
  bool keeps_;
  uint32_t next_ = 1, next_beyond_ = (1u << 22) + 1;
  std::unordered_set<uint32_t> used_;
};

// Adds the tracks of processes and of their threads that call something.
void add_tracks(TraceParts& parts) {
  const CheckedRecord& record = parts.record;
  SystemNumbers numbers(parts.is_wall);
  std::vector<int32_t> of_processes;
  std::vector<bool> has_main_thread(record->processes.size());
  for (uint32_t process = 0; process < record->processes.size(); ++process) {
    const Record::Process& one = record->processes[process];
    of_processes.push_back(numbers.number(one.id));
    parts.processes.push_back(
        parts.file.process(of_processes.back(), parts.words.process(process), one.command_line));
  }
  parts.threads.resize(record->threads.size());
  for (uint32_t thread = 0; thread < record->threads.size(); ++thread) {
    const Record::Thread& one = record->threads[thread];
    if (one.process == Record::none || parts.timeline.threads[thread].empty()) continue;
    const bool is_main =
        one.id == record->processes[one.process].id && !has_main_thread[one.process];
    if (is_main) has_main_thread[one.process] = true;
    parts.threads[thread] =
        parts.file.thread(parts.processes[one.process], of_processes[one.process],
                          is_main ? of_processes[one.process] : numbers.number(one.id),
                          one.name.empty() ? "thread" : one.name);
  }
}

// Writes the calls of a thread.
class CallTracks {
 public:
  CallTracks(TraceParts& parts, const Groups& waits) : parts_(parts), waits_(waits) {}

  void write(uint32_t thread) {
    track_ = parts_.threads[thread];
    if (!track_) return;
    for (const HostTimeline::Item& item : parts_.timeline.threads[thread]) switch (item.what) {
        case What::call_begins:
          begin(item.index);
          break;
        case What::call_ends:
          end(item.index);
          break;
        case What::command_submitted:
          submit(item.index);
          break;
      }
  }

 private:
  void begin(uint32_t call) {
    const Record::Call& one = parts_.record->calls[call];
    auto notes = parts_.file.notes();
    notes.add_repeated("called at", one.call_site);
    if (one.ended == Record::open)
      notes.add_repeated("ended", "never");
    else if (one.result != 0)
      notes.add("result", static_cast<uint64_t>(static_cast<uint32_t>(one.result)));
    if (one.bytes) notes.add("bytes", one.bytes);
    if (one.count) notes.add("count", one.count);
    notes.add_repeated("classes", one.classes);
    const std::string name = one.function.empty() ? "a call" : one.function;
    parts_.calls[call] = parts_.file.begin(
        track_, parts_.times.calls[call].begin,
        one.ended == Record::open ? name + " (never returned)" : name, "call", notes);
  }

  void end(uint32_t call) {
    // The thread knows at the end of the call, not before, that commands have ended.
    const uint64_t time = parts_.times.calls[call].end;
    if (parts_.record->calls[call].ended != Record::open)
      for (const uint32_t wait : waits_.of(call)) {
        const uint32_t command = parts_.record->host_waits[wait].command;
        auto notes = parts_.file.notes();
        notes.add("command", parts_.words.number(command));
        parts_.host_waits[wait] =
            parts_.file.instant(track_, time, "waited for " + place(command), "host wait", notes);
      }
    parts_.file.end(track_, time);
  }

  // An arrow to the command begins at the end of the call, unless the command begins before it.
  void submit(uint32_t command) {
    const Record::Command& one = parts_.record->commands[command];
    const Times::Span& call = parts_.times.calls[one.call];
    const bool returns = parts_.record->calls[one.call].ended != Record::open;
    if (returns && call.end <= parts_.times.commands[command].begin) {
      parts_.submissions[command] = parts_.calls[one.call];
      return;
    }
    parts_.submissions[command] = parts_.file.instant(track_, parts_.times.submissions[command],
                                                      "submits " + parts_.words.command(command),
                                                      "submit", parts_.file.notes());
  }

  std::string place(uint32_t command) const {
    const uint32_t stream = parts_.record->commands[command].stream;
    return stream == Record::none ? "a command" : parts_.words.stream(stream);
  }

  TraceParts& parts_;
  const Groups& waits_;
  PerfettoTrace::Track track_ = 0;
};

}  // namespace

void add_host(TraceParts& parts) {
  const CheckedRecord& record = parts.record;
  parts.calls.assign(record->calls.size(), PerfettoTrace::no_mark);
  parts.submissions.assign(record->commands.size(), PerfettoTrace::no_mark);
  parts.host_waits.assign(record->host_waits.size(), PerfettoTrace::no_mark);
  add_tracks(parts);
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t wait = 0; wait < record->host_waits.size(); ++wait)
    pairs.emplace_back(record->host_waits[wait].call, wait);
  const Groups waits(record->calls.size(), pairs);
  CallTracks calls(parts, waits);
  for (uint32_t thread = 0; thread < record->threads.size(); ++thread) calls.write(thread);
}

}  // namespace cuvette::tools
