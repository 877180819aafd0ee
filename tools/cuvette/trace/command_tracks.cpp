// SPDX-License-Identifier: Apache-2.0
// Devices with their streams, and the commands of these.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/trace/groups.hpp"
#include "tools/cuvette/trace/lanes.hpp"
#include "tools/cuvette/trace/parts.hpp"

namespace cuvette::tools {
namespace {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

const char* word_of_edge(Record::Edge::Why why) {
  switch (why) {
    case Record::Edge::Why::event:
      return "event";
    case Record::Edge::Why::legacy_stream:
      return "legacy stream";
    case Record::Edge::Why::semaphore:
      return "semaphore";
    case Record::Edge::Why::graph:
      return "graph";
    case Record::Edge::Why::other:
      break;
  }
  return "other";
}

// Events and waits take no time. They are where the arrows of an event begin and end.
bool is_instant(const Record::Command& command) {
  return command.began == Record::open || command.kind == "event record" ||
         command.kind == "event wait";
}

// Writes the commands of streams.
class CommandTracks {
 public:
  explicit CommandTracks(TraceParts& parts)
      : parts_(parts), record_(*parts.record), edges_(edges()), touches_(touches()) {}

  // `commands`: those of a stream, or the steps of its graphs.
  void write(PerfettoTrace::Track parent, const std::vector<uint32_t>& commands, bool are_steps) {
    std::vector<LaneSpan> spans;
    spans.reserve(commands.size());
    for (const uint32_t command : commands) {
      const Times::Span& span = parts_.times.commands[command];
      spans.push_back({span.begin, span.end, "", command});
    }
    const Lanes lanes = lanes_of(spans, 1, commands.size());
    std::vector<PerfettoTrace::Track> tracks;
    for (size_t lane = 0; lane < lanes.names.size(); ++lane)
      tracks.push_back(
          lane == 0 && !are_steps
              ? parent
              : parts_.file.track(parent, are_steps ? "steps of graphs" : "at the same time", ""));
    for (size_t place = 0; place < spans.size(); ++place)
      write(tracks[lanes.lane_of[place]], spans[place].index);
  }

 private:
  Groups edges() const {
    Pairs pairs;
    for (uint32_t edge = 0; edge < record_.edges.size(); ++edge)
      pairs.emplace_back(record_.edges[edge].to, edge);
    return Groups(record_.commands.size(), pairs);
  }

  Groups touches() const {
    Pairs pairs;
    for (uint32_t touch = 0; touch < record_.touches.size(); ++touch)
      pairs.emplace_back(record_.touches[touch].command, touch);
    return Groups(record_.commands.size(), pairs);
  }

  void write(PerfettoTrace::Track track, uint32_t command) {
    const Record::Command& one = record_.commands[command];
    const Times::Span& span = parts_.times.commands[command];
    const PerfettoTrace::Notes notes = notes_of(command);
    std::string name = parts_.words.command(command);
    if (one.began == Record::open)
      name += " (never began)";
    else if (one.ended == Record::open)
      name += " (never ended)";
    const std::string& category = one.kind.empty() ? "command" : one.kind;
    if (is_instant(one)) {
      const uint64_t time = span.begin + (span.end - span.begin) / 2;
      parts_.commands[command] = parts_.file.instant(track, time, name, category, notes);
      return;
    }
    parts_.commands[command] = parts_.file.begin(track, span.begin, name, category, notes);
    parts_.file.end(track, span.end);
  }

  PerfettoTrace::Notes notes_of(uint32_t command) const {
    const Record::Command& one = record_.commands[command];
    auto notes = parts_.file.notes();
    notes.add("command", parts_.words.number(command));
    if (one.name.size() > PerfettoTrace::longest_name) notes.add_repeated("name", one.name);
    notes.add_repeated("called at", one.call_site);
    if (one.blocks) notes.add("blocks", one.blocks);
    if (one.threads) notes.add("threads", one.threads);
    notes.add("reads", touched(command, false));
    notes.add("writes", touched(command, true));
    notes.add("waits for", sources(command));
    if (one.began == Record::open)
      notes.add_repeated("began", "never");
    else if (one.ended == Record::open)
      notes.add_repeated("ended", "never");
    return notes;
  }

  // A list of which a person reads no more than the beginning.
  class List {
   public:
    void add(const std::string& item) {
      constexpr size_t most = 8;
      if (++count_ > most) return;
      text_ += (text_.empty() ? "" : ", ") + item;
      shown_ = count_;
    }
    std::string text() const {
      return count_ == shown_ ? text_ : text_ + " and " + std::to_string(count_ - shown_) + " more";
    }

   private:
    std::string text_;
    size_t count_ = 0, shown_ = 0;
  };

  std::string touched(uint32_t command, bool writes) const {
    List list;
    for (const uint32_t touch : touches_.of(command)) {
      const Record::Touch& one = record_.touches[touch];
      if (one.writes == writes) list.add(parts_.words.bytes(one.memory, one.address, one.size));
    }
    return list.text();
  }

  std::string sources(uint32_t command) const {
    List list;
    for (const uint32_t edge : edges_.of(command)) {
      const Record::Edge& one = record_.edges[edge];
      list.add(parts_.words.command(one.from) + " " + parts_.words.number(one.from) + " (" +
               word_of_edge(one.why) + ")");
    }
    return list.text();
  }

  TraceParts& parts_;
  const Record& record_;
  Groups edges_, touches_;
};

}  // namespace

void add_device_tracks(TraceParts& parts) {
  const CheckedRecord& record = parts.record;
  std::vector<bool> has_commands(record->streams.size());
  for (const Record::Command& command : record->commands)
    if (command.stream != Record::none) has_commands[command.stream] = true;
  const char* const widths =
      parts.is_wall ? "Times are this machine's. A GPU's would be others."
                    : "The order of commands. All have the same length, which is no time.";
  parts.devices.resize(record->devices.size());
  for (uint32_t device = 0; device < record->devices.size(); ++device) {
    const Record::Device& one = record->devices[device];
    const std::string name =
        "Device " + std::to_string(one.ordinal) + parts.words.of_process(one.process);
    parts.devices[device] =
        parts.file.track(0, name, one.name + (one.name.empty() ? "" : ". ") + widths);
  }
  // In the order of creation.
  std::vector<uint32_t> streams;
  for (uint32_t stream = 0; stream < record->streams.size(); ++stream)
    if (has_commands[stream]) streams.push_back(stream);
  std::ranges::stable_sort(streams, {},
                           [&](uint32_t stream) { return record->streams[stream].id; });
  parts.streams.resize(record->streams.size());
  PerfettoTrace::Track unknown = 0;
  for (const uint32_t stream : streams) {
    const Record::Stream& one = record->streams[stream];
    if (one.device == Record::none && !unknown)
      unknown = parts.file.track(0, "An unknown device", widths);
    std::string description = one.kind + " stream " + std::to_string(one.id);
    if (one.priority) description += ", priority " + std::to_string(one.priority);
    parts.streams[stream] =
        parts.file.track(one.device == Record::none ? unknown : parts.devices[one.device],
                         parts.words.stream(stream), description);
  }
}

void add_commands(TraceParts& parts) {
  const Record& record = *parts.record;
  parts.commands.assign(record.commands.size(), PerfettoTrace::no_mark);
  std::vector<std::vector<uint32_t>> commands(record.streams.size()), steps(record.streams.size());
  for (uint32_t command = 0; command < record.commands.size(); ++command) {
    const Record::Command& one = record.commands[command];
    if (one.stream == Record::none) continue;
    (one.launch == Record::none ? commands : steps)[one.stream].push_back(command);
  }
  CommandTracks writer(parts);
  for (uint32_t stream = 0; stream < record.streams.size(); ++stream) {
    if (!parts.streams[stream]) continue;
    writer.write(parts.streams[stream], commands[stream], false);
    writer.write(parts.streams[stream], steps[stream], true);
  }
  const auto arrow = [&](PerfettoTrace::Mark from, PerfettoTrace::Mark to) {
    if (from != PerfettoTrace::no_mark && to != PerfettoTrace::no_mark) parts.file.arrow(from, to);
  };
  for (uint32_t command = 0; command < record.commands.size(); ++command)
    arrow(parts.submissions[command], parts.commands[command]);
  for (const Record::Edge& edge : record.edges)
    arrow(parts.commands[edge.from], parts.commands[edge.to]);
  for (uint32_t wait = 0; wait < record.host_waits.size(); ++wait)
    arrow(parts.commands[record.host_waits[wait].command], parts.host_waits[wait]);
}

}  // namespace cuvette::tools
