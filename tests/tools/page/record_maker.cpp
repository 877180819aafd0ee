// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/page/record_maker.hpp"

#include <algorithm>

namespace cuvette::tools {

RecordMaker::RecordMaker(const std::string& program) : source_(program + ".cpp") {
  Record::Process process;
  process.id = 4242;
  process.program = "/home/me/" + program;
  process.command_line = "./" + program;
  process.began = now_;
  process.began_unix_ns = 1'790'000'000'000'000'000;
  record.processes.push_back(process);
  record.threads.push_back({0, 4242, "main"});
  record.devices.push_back({0, 0, "NVIDIA H200"});
  pass(40'000);
}

std::string RecordMaker::site(int line) const {
  return "main (/home/me/" + source_ + ":" + std::to_string(line) + ")";
}

uint32_t RecordMaker::stream(const std::string& kind) {
  const auto index = static_cast<uint32_t>(record.streams.size());
  Record::Stream stream;
  stream.id = index;
  stream.context = 1;
  stream.kind = kind;
  stream.began = now_;
  record.streams.push_back(stream);
  free_from_.push_back(0);
  return index;
}

uint32_t RecordMaker::call(const std::string& function, int line, uint64_t nanoseconds) {
  const auto index = static_cast<uint32_t>(record.calls.size());
  Record::Call call;
  call.function = function;
  call.call_site = site(line);
  call.began = now_;
  call.ended = now_ + nanoseconds;
  record.calls.push_back(call);
  pass(nanoseconds + 400);
  return index;
}

uint32_t RecordMaker::runtime_call(const std::string& function, const std::string& inner, int line,
                                   uint64_t nanoseconds) {
  const uint32_t outer = call(function, line, nanoseconds);
  Record::Call nested;
  nested.function = inner;
  nested.began = record.calls[outer].began + nanoseconds / 8;
  nested.ended = record.calls[outer].ended - nanoseconds / 8;
  record.calls.push_back(nested);
  return outer;
}

uint32_t RecordMaker::command(uint32_t stream, const std::string& kind, const std::string& name,
                              uint32_t by_call, uint64_t nanoseconds,
                              const std::vector<uint32_t>& after) {
  const auto index = static_cast<uint32_t>(record.commands.size());
  Record::Command command;
  command.stream = stream;
  command.number =
      1 + static_cast<uint64_t>(std::count_if(
              record.commands.begin(), record.commands.end(), [&](const Record::Command& other) {
                return other.stream == stream && other.launch == Record::none;
              }));
  command.kind = kind;
  command.name = name;
  command.call = by_call;
  command.call_site = record.calls[by_call].call_site;
  command.submitted = record.calls[by_call].ended - 200;
  command.began = std::max(command.submitted + 900, free_from_[stream]);
  for (const uint32_t other : after)
    command.began = std::max(command.began, record.commands[other].ended + 300);
  command.ended = command.began + nanoseconds;
  free_from_[stream] = command.ended + 100;
  record.commands.push_back(command);
  return index;
}

uint32_t RecordMaker::segment(const std::string& name, const std::string& origin, uint64_t size) {
  Record::Segment segment;
  segment.identity = record.segments.size() + 1;
  segment.name = name;
  segment.origin = origin;
  segment.size = size;
  segment.began = now_;
  record.segments.push_back(segment);
  return static_cast<uint32_t>(record.segments.size() - 1);
}

uint32_t RecordMaker::memory(const std::string& kind, const std::string& name, uint64_t address,
                             uint64_t size, int line) {
  return window(Record::none, kind, name, address, 0, size, line);
}

uint32_t RecordMaker::window(uint32_t segment, const std::string& kind, const std::string& name,
                             uint64_t address, uint64_t offset, uint64_t size, int line) {
  Record::Memory memory;
  memory.device = 0;
  memory.kind = kind;
  memory.name = name;
  memory.address = address;
  memory.size = size;
  memory.segment = segment;
  memory.offset = offset;
  memory.began = now_;
  memory.call_site = site(line);
  record.memories.push_back(memory);
  return static_cast<uint32_t>(record.memories.size() - 1);
}

void RecordMaker::touch(uint32_t command, uint32_t memory, uint64_t offset, uint64_t size,
                        bool writes) {
  record.touches.push_back(
      {command, memory, record.memories[memory].address + offset, size, writes});
}

void RecordMaker::edge(uint32_t from, uint32_t to, Record::Edge::Why why) {
  record.edges.push_back({from, to, why});
}

uint32_t RecordMaker::wait(uint32_t command, const std::string& function, int line) {
  const uint64_t ended = record.commands[command].ended;
  const uint64_t length = ended > now_ ? ended - now_ + 700 : 500;
  const uint32_t index = call(function, line, length);
  record.host_waits.push_back({command, index});
  return index;
}

void RecordMaker::finish() {
  for (const Record::Command& command : record.commands)
    if (command.ended != Record::open) now_ = std::max(now_, command.ended);
  pass(20'000);
  record.processes[0].ended = now_;
}

}  // namespace cuvette::tools
