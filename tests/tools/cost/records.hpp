// SPDX-License-Identifier: Apache-2.0
// Records and tables made by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/cuvette/cost/table.hpp"
#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

// A row of one point, or of the points given as position and median: p10 is nine tenths, p90
// eleven.
inline CostTable::Row row(const std::string& function, std::set<std::string> classes,
                          const std::string& unit, CostTable::Measures measures,
                          const std::vector<std::pair<double, double>>& points) {
  CostTable::Row result{function, std::move(classes), unit, measures, {}};
  for (const auto& [at, median] : points)
    result.points.push_back({at, median * 0.9, median, median * 1.1});
  return result;
}

inline CostTable::Row call_row(const std::string& function, double median) {
  return row(function, {}, "call", CostTable::Measures::host, {{1, median}});
}

// A record of one process and one thread, built call by call on a clock of its own.
class HandRecord {
 public:
  HandRecord() {
    record.processes.push_back(
        {.id = 100, .program = "/bin/app", .command_line = "./app", .began = 0});
    record.threads.push_back({.process = 0, .id = 100, .name = "app"});
    record.devices.push_back({});
    record.streams.push_back({.device = 0, .id = 0, .kind = "legacy"});
  }
  // A call that takes 100 ns here, 10 ns after the one before. Returns its index.
  uint32_t call(const std::string& function, const std::string& site = "", uint64_t bytes = 0,
                uint32_t count = 0, const std::string& classes = "") {
    Record::Call call;
    call.function = function;
    call.call_site = site;
    call.began = now_ + 10;
    call.ended = now_ = call.began + 100;
    call.bytes = bytes;
    call.count = count;
    call.classes = classes;
    record.calls.push_back(std::move(call));
    return static_cast<uint32_t>(record.calls.size() - 1);
  }
  // A call of the runtime with the driver's calls in it.
  uint32_t nested(const std::string& outer, const std::vector<std::string>& inner) {
    const uint32_t first = call(outer);
    for (size_t i = 0; i < inner.size(); ++i) {
      Record::Call call;
      call.function = inner[i];
      call.began = record.calls[first].began + 10 + 20 * i;
      call.ended = call.began + 10;
      record.calls.push_back(std::move(call));
    }
    return first;
  }
  // A call that submits a command to stream 0.
  uint32_t submit(const std::string& function, const std::string& site = "", uint64_t bytes = 0,
                  const std::string& classes = "") {
    const uint32_t index = call(function, site, bytes, 0, classes);
    Record::Command command;
    command.number = record.commands.size() + 1;
    command.kind = "copy";
    command.call = index;
    record.commands.push_back(std::move(command));
    return index;
  }
  // A call that waits for all commands.
  uint32_t wait(const std::string& function, const std::string& site = "") {
    const uint32_t index = call(function, site);
    if (!record.commands.empty())
      record.host_waits.push_back({static_cast<uint32_t>(record.commands.size() - 1), index});
    return index;
  }

  Record record;

 private:
  uint64_t now_ = 1000;
};

inline CostTable small_table() {
  using Measures = CostTable::Measures;
  CostTable table;
  table.gpu = "NVIDIA Test";
  table.driver = "1.2";
  table.rows = {
      call_row("cuLaunchKernel", 3000),
      row("cuMemAlloc", {}, "byte", Measures::host, {{4096, 30000}, {1 << 20, 40000}}),
      row("cuMemAlloc", {"from-block"}, "byte", Measures::host, {{4096, 1000}}),
      row("cuMemFree", {}, "byte", Measures::host, {{4096, 20000}}),
      row("cuMemFree", {"from-block"}, "byte", Measures::host, {{4096, 1000}}),
      row("cuMemFree", {"imported"}, "byte", Measures::host, {{4096, 15000}}),
      row("cuMemcpyHtoDAsync", {"pinned"}, "byte", Measures::host, {{4, 1000}}),
      row("cuMemcpyHtoDAsync", {"pinned"}, "byte", Measures::wait, {{4, 5000}, {1000004, 105000}}),
      row("cuMemcpyHtoDAsync", {"pageable"}, "byte", Measures::host, {{4, 2000}}),
      row("cuStreamSynchronize", {"idle"}, "call", Measures::host, {{1, 300}}),
      row("cuStreamSynchronize", {"behind-kernel"}, "call", Measures::wait, {{1, 5000}}),
      row("cuGraphicsMapResources", {"opengl"}, "resource", Measures::host,
          {{1, 3000}, {64, 6150}}),
      row("cuGraphicsUnmapResources", {"opengl"}, "resource", Measures::host,
          {{1, 4000}, {64, 90000}}),
      call_row("cuImportExternalMemory", 18000),
      call_row("cuDestroyExternalMemory", 6000),
      row("cudaMalloc", {}, "call", Measures::own, {{1, 50}}),
      row("cuMemcpyDtoH", {"pageable"}, "byte", Measures::host, {{4, 8000}}),
      row("cuMemcpyHtoD", {"pageable", "idle"}, "byte", Measures::host, {{4, 1500}}),
      row("cuMemcpyHtoD", {"pageable", "pending"}, "byte", Measures::host, {{4, 5200}}),
      row("cuMemcpyDtoHAsync", {"pageable"}, "byte", Measures::host, {{4, 7000}}),
      row("cuMemcpyDtoHAsync", {"pageable"}, "byte", Measures::wait, {{4, 400}}),
      call_row("cuStreamCreate", 1200),
      row("cuStreamCreate", {}, "call", Measures::first, {{1, 19000}}),
      call_row("cuCtxSynchronize", 350),
      call_row("cuMemExportToShareableHandle", 540000),
      row("cuMemExportToShareableHandle", {"graphics"}, "call", Measures::host, {{1, 21000}}),
  };
  return table;
}

}  // namespace cuvette::tools
