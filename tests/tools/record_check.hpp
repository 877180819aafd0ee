// SPDX-License-Identifier: Apache-2.0
// What holds for each Record, however damaged the files are that it was read from.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tools/cuvette/record/record.hpp"

// Returns what is wrong with a record; empty if nothing is.
inline std::string wrong_with(const cuvette::tools::Record& record) {
  using cuvette::tools::Record;
  std::string wrong;
  const auto need = [&](bool good, const char* what) {
    if (!good && wrong.empty()) wrong = what;
  };
  const auto inside = [&](uint32_t index, const auto& all, const char* what) {
    need(index < all.size(), what);
  };
  const auto inside_or_none = [&](uint32_t index, const auto& all, const char* what) {
    need(index == Record::none || index < all.size(), what);
  };
  const auto span = [&](const auto& one, const char* what) { need(one.began <= one.ended, what); };

  for (const auto& one : record.threads) inside(one.process, record.processes, "thread's process");
  for (const auto& one : record.devices) inside(one.process, record.processes, "device's process");
  for (const auto& one : record.streams) {
    inside(one.device, record.devices, "stream's device");
    span(one, "stream's life");
  }
  need(std::ranges::is_sorted(record.calls, {}, &Record::Call::began), "order of calls");
  std::vector<std::vector<uint64_t>> open(record.threads.size());
  for (const auto& one : record.calls) {
    inside(one.thread, record.threads, "call's thread");
    if (!wrong.empty()) return wrong;
    span(one, "call's ends");
    auto& ends = open[one.thread];
    while (!ends.empty() && ends.back() <= one.began) ends.pop_back();
    need(ends.empty() || one.ended <= ends.back(), "calls do not nest");
    ends.push_back(one.ended);
  }
  need(std::ranges::is_sorted(record.commands, {}, &Record::Command::submitted),
       "order of commands");
  for (const auto& one : record.commands) {
    inside(one.stream, record.streams, "command's stream");
    inside_or_none(one.call, record.calls, "command's call");
    inside_or_none(one.launch, record.commands, "step's launch");
    need(one.submitted <= one.began && one.began <= one.ended, "command's times");
    need(one.number > 0, "command's number");
    need((one.launch == Record::none) == (one.step == 0), "step's number");
  }
  for (const auto& one : record.edges) {
    inside(one.from, record.commands, "edge's begin");
    inside(one.to, record.commands, "edge's end");
  }
  for (const auto& one : record.host_waits) {
    inside(one.command, record.commands, "wait's command");
    inside(one.call, record.calls, "wait's call");
  }
  for (const auto& one : record.segments) {
    inside(one.process, record.processes, "segment's process");
    span(one, "segment's life");
  }
  for (const auto& one : record.memories) {
    inside(one.process, record.processes, "memory's process");
    inside_or_none(one.device, record.devices, "memory's device");
    inside_or_none(one.segment, record.segments, "memory's segment");
    span(one, "memory's life");
  }
  for (const auto& one : record.touches) {
    inside(one.command, record.commands, "touch's command");
    inside_or_none(one.memory, record.memories, "touch's memory");
  }
  for (const auto& one : record.resources) {
    inside(one.process, record.processes, "resource's process");
    span(one, "resource's life");
    for (const auto& [began, ended] : one.mapped) need(began <= ended, "mapping's ends");
  }
  for (const auto& one : record.reports) {
    inside(one.process, record.processes, "report's process");
    inside_or_none(one.memory, record.memories, "report's memory");
    for (const uint32_t command : one.commands)
      inside(command, record.commands, "report's command");
    for (const uint32_t call : one.calls) inside(call, record.calls, "report's call");
  }
  return wrong;
}
