// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/record/read.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "tools/cuvette/record/tick_times.hpp"
#include "tools/cuvette/source_lines.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {

namespace format = record_format;
namespace fs = std::filesystem;

namespace {

uint32_t size_of(const auto& all) { return static_cast<uint32_t>(all.size()); }

// A word for each of the properties that are set.
std::string words_of(uint32_t classes) {
  std::string words;
  for (size_t i = 0; i < std::size(format::call_class_words); ++i) {
    if (!(classes >> i & 1)) continue;
    if (!words.empty()) words += ' ';
    words += format::call_class_words[i];
  }
  return words;
}

// A wait for a semaphore begins when its turn comes, and a signal is over some time after others
// can see it. Has the wait begin at the end of the signal. Returns false if the wait was over
// before the signal: another process has signalled.
bool put_in_order(Record::Command& signal, Record::Command& wait) {
  if (wait.ended < signal.began) return false;
  if (wait.ended != Record::open) signal.ended = std::min(signal.ended, wait.ended);
  wait.began = std::max(wait.began, signal.ended);
  return true;
}

// Adds what one process recorded to a Record.
class Process {
 public:
  Process(const RawFile& file, Record& record, std::map<std::string, std::string>& lines)
      : file_(file),
        record_(record),
        lines_(lines),
        times_(file.clocks),
        process_(size_of(record.processes)) {}

  void add() {
    add_process();
    add_threads();
    add_devices();
    add_calls();
    add_commands();
    add_steps();
    add_edges();
    add_waits();
    add_segments();
    add_memories();
    add_touches();
    add_resources();
    add_reports();
    record_.unreadable += file_.unreadable;
  }

 private:
  // A command, or a step of one, as records name it: stream, number, step.
  using Name = std::tuple<uint32_t, uint64_t, uint32_t>;

  void add_process();
  void add_threads();
  void add_devices();
  void add_calls();
  void add_commands();
  void add_steps();
  void run(Record::Command& command, uint64_t began, uint64_t ended) const;
  void add_edges();
  void add_waits();
  void add_wait_for_all(const format::WaitAll& wait);
  void add_segments();
  void add_memories();
  void add_touches();
  void add_resources();
  void add_reports();

  std::string text(uint32_t number) const {
    if (number == 0) return "";
    const auto found = file_.texts.find(number);
    return found == file_.texts.end() ? "" : found->second;
  }
  // A text that names a place, with the line of its source if that can be found.
  std::string place(uint32_t number) const {
    const std::string found = text(number);
    if (found.empty()) return "";
    const auto [known, fresh] = lines_.try_emplace(found);
    if (fresh) known->second = with_source_lines(found);
    return known->second;
  }
  uint64_t end_of(uint64_t began, uint64_t ended) const {
    return ended == 0 ? Record::open : times_.at(std::max(began, ended));
  }
  template <typename Key>
  static uint32_t index(const std::map<Key, uint32_t>& all, const Key& key) {
    const auto found = all.find(key);
    return found == all.end() ? Record::none : found->second;
  }
  uint32_t call_at(uint32_t place) const {
    return place == 0 ? Record::none : index(calls_, place);
  }

  const RawFile& file_;
  Record& record_;
  std::map<std::string, std::string>& lines_;  // of all files: places, and their lines
  const TickTimes times_;
  const uint32_t process_;
  std::map<uint32_t, uint32_t> threads_, devices_, streams_, segments_, calls_;
  std::map<Name, uint32_t> commands_;
  std::map<Name, uint32_t> placed_steps_;  // by Step::place: the step
  std::map<uint64_t, uint32_t> memories_;
};

void Process::add_process() {
  Record::Process process;
  process.id = file_.header.process;
  process.dropped = file_.header.dropped;
  if (!file_.processes.empty()) {
    const format::Process& first = file_.processes.front();
    process.program = text(first.program);
    process.command_line = text(first.command_line);
    process.began = times_.at(first.began);
    process.began_unix_ns = times_.unix_at(first.began);
  }
  if (!file_.ends.empty()) process.ended = times_.at(file_.ends.back().time);
  record_.processes.push_back(std::move(process));
}

void Process::add_threads() {
  for (const auto& thread : file_.threads)
    if (threads_.try_emplace(thread.number, size_of(record_.threads)).second)
      record_.threads.push_back({process_, thread.id, text(thread.name)});
}

void Process::add_devices() {
  for (const auto& device : file_.devices)
    if (devices_.try_emplace(device.ordinal, size_of(record_.devices)).second)
      record_.devices.push_back({process_, device.ordinal, text(device.name)});
  for (const auto& stream : file_.streams) {
    const uint32_t device = index(devices_, stream.device);
    if (device == Record::none ||
        !streams_.try_emplace(stream.number, size_of(record_.streams)).second) {
      ++record_.unreadable;
      continue;
    }
    record_.streams.push_back({device, stream.number, stream.context, text(stream.way),
                               stream.priority, times_.at(stream.began),
                               end_of(stream.began, stream.ended)});
  }
}

void Process::add_calls() {
  for (const auto& call : file_.calls) {
    const uint32_t thread = index(threads_, call.writer);
    if (thread == Record::none) {
      ++record_.unreadable;
      continue;
    }
    calls_.emplace(call.place_in_file, size_of(record_.calls));
    Record::Call added;
    added.thread = thread;
    added.function = text(call.function);
    added.call_site = place(call.site);
    added.began = times_.at(call.began);
    added.ended = end_of(call.began, call.ended);
    added.result = call.result;
    added.bytes = call.bytes;
    added.count = call.count;
    added.classes = words_of(call.classes);
    record_.calls.push_back(std::move(added));
  }
}

void Process::add_commands() {
  for (const auto& command : file_.commands) {
    const uint32_t stream = index(streams_, command.stream);
    const Name name(command.stream, command.number, 0);
    if (stream == Record::none || command.number == 0 ||
        !commands_.try_emplace(name, size_of(record_.commands)).second) {
      ++record_.unreadable;
      continue;
    }
    Record::Command added;
    added.stream = stream;
    added.number = command.number;
    added.kind = text(command.what);
    added.name = text(command.name);
    added.call_site = place(command.site);
    added.call = call_at(command.call);
    added.submitted = times_.at(command.submitted);
    added.blocks = command.blocks;
    added.threads = command.threads;
    run(added, command.began, command.ended);
    record_.commands.push_back(std::move(added));
  }
  // A command is submitted when its call begins, as far as is recorded; threads that submit to one
  // stream at once decide later who is first.
  const Record::Command* before = nullptr;
  for (const auto& [name, index] : commands_) {
    Record::Command& command = record_.commands[index];
    if (before && before->stream == command.stream)
      command.submitted = std::max(command.submitted, before->submitted);
    command.began = std::max(command.began, command.submitted);
    command.ended = std::max(command.ended, command.began);
    before = &command;
  }
}

// Says when a command, or a step, began and ended. 0: it did not.
void Process::run(Record::Command& command, uint64_t began, uint64_t ended) const {
  command.began = command.ended = Record::open;
  if (began == 0) return;
  command.began = std::max(command.submitted, times_.at(began));
  if (ended != 0) command.ended = std::max(command.began, times_.at(ended));
}

void Process::add_steps() {
  for (const auto& one : file_.steps) {
    const uint32_t launch = index(commands_, Name(one.stream, one.number, 0));
    if (launch == Record::none || one.step == 0) {
      ++record_.unreadable;
      continue;
    }
    // The body of a loop runs several times; edges and touches are the first one's.
    commands_.try_emplace(Name(one.stream, one.number, one.step), size_of(record_.commands));
    if (one.place != 0)
      placed_steps_.try_emplace(Name(one.stream, one.number, one.place), one.step);
    Record::Command added = record_.commands[launch];
    added.launch = launch;
    added.step = one.step;
    added.kind = text(one.what);
    added.name = text(one.name);
    added.call_site = place(one.site);
    added.blocks = one.blocks;
    added.threads = one.threads;
    run(added, one.began, one.ended);
    record_.commands.push_back(std::move(added));
  }
}

void Process::add_edges() {
  for (const auto& edge : file_.edges) {
    const uint32_t from =
        index(commands_, Name(edge.from_stream, edge.from_number, edge.from_step));
    const uint32_t to = index(commands_, Name(edge.to_stream, edge.to_number, edge.to_step));
    // Steps that did not begin are no commands.
    if (edge.from_step != 0 && edge.to_step != 0 && (from == Record::none || to == Record::none))
      continue;
    if (from == Record::none || to == Record::none || edge.why > format::last_why) {
      ++record_.unreadable;
      continue;
    }
    if (edge.why == format::EdgeWhy::semaphore &&
        !put_in_order(record_.commands[from], record_.commands[to]))
      continue;
    record_.edges.push_back({from, to, static_cast<Record::Edge::Why>(edge.why)});
  }
}

void Process::add_waits() {
  for (const auto& wait : file_.waits) {
    const uint32_t call = call_at(wait.call);
    const uint32_t command = index(commands_, Name(wait.stream, wait.number, 0));
    if (call != Record::none && command != Record::none)
      record_.host_waits.push_back({command, call});
    else if (wait.call != 0)
      ++record_.unreadable;
  }
  for (const auto& wait : file_.waits_for_all)
    if (wait.ended != 0 && call_at(wait.call) != Record::none) add_wait_for_all(wait);
}

// The last command of each stream of the context that was there when the wait began.
void Process::add_wait_for_all(const format::WaitAll& wait) {
  const uint64_t began = times_.at(wait.began);
  for (const auto& [number, stream] : streams_) {
    const Record::Stream& one = record_.streams[stream];
    if (one.context != wait.context) continue;
    if (wait.blocking_only && one.kind == "non-blocking") continue;
    // Numbers and times rise together.
    auto next = commands_.lower_bound(Name(number, 0, 0));
    uint32_t last = Record::none;
    for (; next != commands_.end() && std::get<0>(next->first) == number; ++next) {
      if (std::get<2>(next->first) != 0) continue;
      if (record_.commands[next->second].submitted > began) break;
      last = next->second;
    }
    // Of another thread's call that began earlier, and submitted later.
    if (last != Record::none && record_.commands[last].ended > times_.at(wait.ended)) continue;
    if (last != Record::none) record_.host_waits.push_back({last, call_at(wait.call)});
  }
}

void Process::add_segments() {
  for (const auto& segment : file_.segments) {
    if (!segments_.try_emplace(segment.number, size_of(record_.segments)).second) {
      ++record_.unreadable;
      continue;
    }
    Record::Segment added;
    added.process = process_;
    if (segment.file != 0)
      added.identity = (segment.system + 1) * 0x9e3779b97f4a7c15u ^ segment.file;
    added.name = text(segment.name);
    added.origin = text(segment.origin);
    added.size = segment.size;
    added.began = times_.at(segment.began);
    added.ended = end_of(segment.began, segment.ended);
    record_.segments.push_back(std::move(added));
  }
}

void Process::add_memories() {
  for (const auto& memory : file_.memories) {
    if (static_cast<size_t>(memory.what) >= std::size(format::memory_kind_words)) {
      ++record_.unreadable;
      continue;
    }
    memories_[memory.key] = size_of(record_.memories);
    Record::Memory added;
    added.process = process_;
    if (memory.device != format::no_device) added.device = index<uint32_t>(devices_, memory.device);
    added.kind = format::memory_kind_words[static_cast<size_t>(memory.what)];
    added.name = text(memory.name);
    added.address = memory.address;
    added.size = memory.size;
    if (memory.segment != 0) added.segment = index(segments_, memory.segment);
    added.offset = memory.offset;
    added.began = times_.at(memory.began);
    added.ended = end_of(memory.began, memory.ended);
    added.call_site = place(memory.site);
    record_.memories.push_back(std::move(added));
  }
}

void Process::add_touches() {
  for (const auto& touch : file_.touches) {
    uint32_t command = index(commands_, Name(touch.stream, touch.number, touch.step));
    // A step may not have begun.
    if (command == Record::none) command = index(commands_, Name(touch.stream, touch.number, 0));
    if (command == Record::none) {
      ++record_.unreadable;
      continue;
    }
    record_.touches.push_back({command,
                               touch.memory == 0 ? Record::none : index(memories_, touch.memory),
                               touch.address, touch.size, touch.writes != 0});
  }
}

void Process::add_resources() {
  std::map<uint64_t, uint32_t> known;
  for (const auto& resource : file_.resources) {
    if (resource.what > format::last_resource_kind) {
      ++record_.unreadable;
      continue;
    }
    known[resource.key] = size_of(record_.resources);
    Record::Resource added;
    added.process = process_;
    added.kind = static_cast<Record::Resource::Kind>(resource.what);
    added.name = text(resource.name);
    added.began = times_.at(resource.began);
    added.ended = end_of(resource.began, resource.ended);
    added.call_site = place(resource.site);
    record_.resources.push_back(std::move(added));
  }
  for (const auto& mapped : file_.mapped) {
    const uint32_t resource = index(known, mapped.resource);
    if (resource == Record::none)
      ++record_.unreadable;
    else
      record_.resources[resource].mapped.emplace_back(times_.at(mapped.began),
                                                      end_of(mapped.began, mapped.ended));
  }
}

void Process::add_reports() {
  std::map<uint32_t, uint32_t> known;
  for (const auto& report : file_.reports) {
    if (!known.try_emplace(report.number, size_of(record_.reports)).second) {
      ++record_.unreadable;
      continue;
    }
    Record::Report added;
    added.process = process_;
    added.time = times_.at(report.time);
    added.identifier = text(report.identifier);
    added.severity = text(report.severity);
    added.message = text(report.sentence);
    added.call_site = place(report.site);
    added.memory = report.memory == 0 ? Record::none : index(memories_, report.memory);
    added.address = report.address;
    added.size = report.size;
    added.advice = text(report.advice);
    if (const uint32_t call = call_at(report.call); call != Record::none)
      added.calls.push_back(call);
    record_.reports.push_back(std::move(added));
  }
  auto facts = file_.facts;
  std::ranges::stable_sort(facts, {}, &format::Fact::place);
  for (const auto& fact : facts) {
    const uint32_t report = index(known, fact.report);
    if (report == Record::none)
      ++record_.unreadable;
    else
      record_.reports[report].facts.emplace_back(text(fact.key), place(fact.value));
  }
  auto about = file_.about;
  std::ranges::stable_sort(about, {}, &format::About::place);
  for (const auto& one : about) {
    const uint32_t report = index(known, one.report);
    const uint32_t call = call_at(one.call);
    const uint32_t step = index(placed_steps_, Name(one.stream, one.number, one.step_place));
    uint32_t command =
        step == Record::none ? step : index(commands_, Name(one.stream, one.number, step));
    if (command == Record::none) command = index(commands_, Name(one.stream, one.number, 0));
    if (report == Record::none || (call == Record::none && command == Record::none))
      ++record_.unreadable;
    else if (call != Record::none)
      record_.reports[report].calls.push_back(call);
    else
      record_.reports[report].commands.push_back(command);
  }
}

// --- All processes -------------------------------------------------------------------------------

// Sorts, and returns where each one is now.
template <typename One, typename Key>
std::vector<uint32_t> sort(std::vector<One>& all, Key key) {
  std::vector<uint32_t> order(all.size()), place(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](uint32_t i) { return std::invoke(key, all[i]); });
  std::vector<One> sorted;
  sorted.reserve(all.size());
  for (const uint32_t i : order) {
    place[i] = size_of(sorted);
    sorted.push_back(std::move(all[i]));
  }
  all = std::move(sorted);
  return place;
}

void put_in_order(Record& record) {
  const auto move = [](uint32_t& index, const std::vector<uint32_t>& places) {
    if (index != Record::none) index = places[index];
  };
  const auto calls = sort(record.calls, &Record::Call::began);
  const auto commands = sort(record.commands, &Record::Command::submitted);
  for (Record::Command& command : record.commands) {
    move(command.call, calls);
    move(command.launch, commands);
  }
  for (Record::Edge& edge : record.edges) {
    move(edge.from, commands);
    move(edge.to, commands);
  }
  for (Record::HostWait& wait : record.host_waits) {
    move(wait.command, commands);
    move(wait.call, calls);
  }
  for (Record::Touch& touch : record.touches) move(touch.command, commands);
  for (Record::Report& report : record.reports) {
    for (uint32_t& command : report.commands) move(command, commands);
    for (uint32_t& call : report.calls) move(call, calls);
  }
}

// Has the calls of each thread nest, and gives a call what is known of those inside it. `calls` are
// in the order in which they began.
void nest(Record& record) {
  std::vector<std::vector<uint32_t>> open(record.threads.size());
  const auto close = [&](std::vector<uint32_t>& inside) {
    const Record::Call inner = record.calls[inside.back()];
    inside.pop_back();
    if (inside.empty()) return;
    Record::Call& outer = record.calls[inside.back()];
    if (outer.bytes == 0) outer.bytes = inner.bytes;
    if (outer.count == 0) outer.count = inner.count;
    if (outer.classes.empty()) outer.classes = inner.classes;
  };
  for (uint32_t i = 0; i < record.calls.size(); ++i) {
    Record::Call& call = record.calls[i];
    auto& inside = open[call.thread];
    while (!inside.empty() && record.calls[inside.back()].ended <= call.began) close(inside);
    if (!inside.empty()) call.ended = std::min(call.ended, record.calls[inside.back()].ended);
    inside.push_back(i);
  }
  for (auto& inside : open)
    while (!inside.empty()) close(inside);
}

}  // namespace

Record record_of(const std::vector<RawFile>& files) {
  Record record;
  std::map<std::string, std::string> lines;
  for (const RawFile& file : files) {
    if (file.is_record)
      Process(file, record, lines).add();
    else if (!file.is_empty)
      ++record.unreadable;
  }
  put_in_order(record);
  nest(record);
  return record;
}

Record read_record(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator next(folder, failure), end; !failure && next != end;
       next.increment(failure)) {
    const fs::path& path = next->path();
    std::error_code ignored;
    if (path.extension() == ".record" && fs::is_regular_file(next->symlink_status(ignored)))
      names.push_back(path.string());
  }
  std::ranges::sort(names);
  std::vector<RawFile> files;
  for (const std::string& name : names)
    if (const auto bytes = whole_file(name)) files.emplace_back(*bytes);
  std::ranges::stable_sort(files, {}, [](const RawFile& file) {
    return TickTimes(file.clocks).at(file.processes.empty() ? 0 : file.processes.front().began);
  });
  return record_of(files);
}

}  // namespace cuvette::tools
