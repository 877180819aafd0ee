// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/result.hpp"

#include <algorithm>
#include <map>

#include "tools/cuvette/cost/calls.hpp"
#include "tools/cuvette/cost/hoists.hpp"

namespace cuvette::tools {
namespace {

uint64_t dropped_of(const Record& record) {
  uint64_t dropped = record.unreadable;
  for (const Record::Process& process : record.processes) dropped += process.dropped;
  return dropped;
}

std::vector<CostLine> lines_of(const Record& record, const Estimates& estimates) {
  std::map<std::pair<std::string, std::string>, CostLine> lines;
  for (const EstimatedCall& each : estimates.calls) {
    const Record::Call& call = record.calls[each.call];
    const std::string function = plain_function(call.function);
    CostLine& line = lines[{function, call.call_site}];
    line.function = function;
    line.call_site = call.call_site;
    ++line.calls;
    line.bytes += call.bytes;
    line.here += time_here(call);
    line.there += each.there;
    line.waits += each.waits;
    line.with_row += each.has_row;
    line.is_vague |= each.is_vague;
  }
  std::vector<CostLine> sorted;
  for (auto& [where, line] : lines) sorted.push_back(std::move(line));
  std::stable_sort(sorted.begin(), sorted.end(), [](const CostLine& one, const CostLine& other) {
    return one.there.median > other.there.median;
  });
  return sorted;
}

}  // namespace

CostResult cost_of(const Record& record, const CostTable& table) {
  const Estimates estimates = estimate(record, table);
  CostResult result;
  if (!record.processes.empty()) result.program = record.processes.front().command_line;
  result.gpu = table.gpu;
  result.driver = table.driver;
  result.host = table.host;
  result.calls = estimates.calls.size();
  result.lines = lines_of(record, estimates);
  for (const CostLine& line : result.lines) {
    result.here += line.here;
    result.there += line.there;
  }
  result.hoists = hoists_of(record, estimates, table);
  for (const auto& [function, missing] : estimates.without_row)
    result.without_row.push_back({function, missing.calls, missing.here});
  std::stable_sort(result.without_row.begin(), result.without_row.end(),
                   [](const auto& one, const auto& other) { return one.calls > other.calls; });
  result.without_own_part = estimates.without_own_part;
  result.dropped = dropped_of(record);
  return result;
}

}  // namespace cuvette::tools
