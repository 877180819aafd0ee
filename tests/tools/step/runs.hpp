// SPDX-License-Identifier: Apache-2.0
// Runs made by hand, for tests of `cuvette step`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "tools/cuvette/step/history.hpp"

namespace cuvette::tools {

// Fields of lines are written with blanks here; `_` is a blank in a field.
inline RunLog log_of(std::initializer_list<const char*> lines) {
  std::string text;
  for (const std::string line : lines) {
    for (const char c : line) text += c == ' ' ? '\t' : c == '_' ? ' ' : c;
    text += '\n';
  }
  return RunLog::parse(text);
}

// Two streams: a fill of allocation 1 in stream 1, a copy of it in stream 2, which waits for
// nothing, and after it a fill of allocation 2.
inline RunLog two_streams() {
  return log_of({"memory 1 device - 0x1000 8 main 0df0fd7f0df0fd7f",
                 "memory 2 device sums 0x2000 8 main 0000000000000000",
                 "queued 1.1 fill non-blocking main 1 1", "queued 2.1 copy non-blocking main 1 1",
                 "queued 2.2 fill non-blocking main 1 1", "printed 3", "began 1.1",
                 "bytes 1.1 1 0 0700000007000000", "ended 1.1", "began 2.1",
                 "bytes 2.1 2 0 0700000007000000", "ended 2.1", "printed 9", "began 2.2",
                 "bytes 2.2 2 4 09", "ended 2.2", "waited * 1 1"});
}

inline Record::Call call_of(const char* function, const char* place, uint64_t began,
                            uint64_t ended) {
  Record::Call call;
  call.function = function;
  call.call_site = place;
  call.began = began;
  call.ended = ended;
  return call;
}

// A record of the same commands, each `began` and `ended` in turn; without calls.
inline Record record_of_two_streams() {
  Record record;
  record.processes.push_back({1, "/bin/two", "two", 0});
  record.threads.push_back({0, 1, "main"});
  record.devices.push_back({0, 0, "device"});
  for (uint64_t i = 0; i < 3; ++i)
    record.streams.push_back({0, i, 1, i ? "non-blocking" : "legacy"});
  const auto add = [&](uint32_t stream, uint64_t number, uint64_t submitted, uint64_t began) {
    Record::Command command;
    command.stream = stream;
    command.number = number;
    command.call_site = "main (two.cpp:" + std::to_string(submitted) + ")";
    command.submitted = submitted;
    command.began = began;
    command.ended = began + 5;
    record.commands.push_back(command);
  };
  add(1, 1, 10, 100);
  add(2, 1, 20, 110);
  add(2, 2, 30, 120);
  record.calls.push_back(call_of("cuMemsetD32Async", "main (two.cpp:10)", 10, 12));
  record.calls.push_back(call_of("cuCtxSynchronize", "main (two.cpp:40)", 40, 130));
  for (const uint64_t address : {0x1000u, 0x2000u}) {
    Record::Memory memory;
    memory.device = 0;
    memory.kind = "device";
    memory.address = address;
    memory.size = 8;
    record.memories.push_back(memory);
  }
  record.touches.push_back({0, 0, 0x1000, 8, true});
  record.touches.push_back({1, 0, 0x1000, 8, false});
  record.touches.push_back({1, 1, 0x2000, 8, true});
  record.touches.push_back({2, 1, 0x2004, 4, true});
  return record;
}

inline History two_streams_history() {
  return History(two_streams(), record_of_two_streams(),
                 {"has ended with exit status 0", "hi\nbye\n", ""});
}

}  // namespace cuvette::tools
