// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cuvette/profile/advice.hpp"
#include "tools/cuvette/profile/profile.hpp"

namespace cuvette::tools {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const AccessCounts& access) {
  OrderedJson json = {{"kind", access.kind}, {"bytes", access.bytes}};
  if (access.global_requests > 0) {
    json["requests"] = access.global_requests;
    json["threads"] = access.global_lanes;
    json["sectors"] = access.sectors;
    json["sectors_per_request"] = quotient(access.sectors, access.global_requests);
    json["ideal_sectors"] = access.ideal_sectors;
    json["excess_sectors"] = access.excess_sectors();
  }
  if (access.shared_requests > 0) {
    json["shared_requests"] = access.shared_requests;
    json["shared_threads"] = access.shared_lanes;
    json["wavefronts"] = access.wavefronts;
    json["ideal_wavefronts"] = access.ideal_wavefronts;
    json["bank_conflicts"] = access.bank_conflicts();
  }
  if (access.strided > 0) {
    json["stride"] = access.stride;
    json["requests_with_stride"] = access.strided;
  }
  if (!access.is_atomic()) return json;
  json["most_threads_at_one_address"] = access.most_together;
  json["threads_behind_others"] = access.behind_others;
  if (access.global_requests > 0) json["sector_visits"] = access.sector_visits;
  if (access.hottest.times == 0) return json;
  OrderedJson hottest = {{"address", access.hottest.address},
                         {"space", access.hottest.space},
                         {"times", access.hottest.times},
                         {"of", access.hottest.of}};
  if (access.hottest.at_least) hottest["at_least"] = true;
  if (access.hottest.allocation_bytes > 0) {
    hottest["offset"] = access.hottest.offset;
    hottest["allocation_bytes"] = access.hottest.allocation_bytes;
  }
  json["hottest_address"] = hottest;
  return json;
}

OrderedJson json_of(const ProfiledLine& line) {
  OrderedJson json;
  if (line.source.empty())
    json["source"] = nullptr;
  else
    json["source"] = line.source;
  json["ptx_line"] = line.ptx;
  if (!line.inlined.empty()) {
    json["inlined"] = OrderedJson::array();
    for (const ProfiledLine::Frame& frame : line.inlined)
      json["inlined"].push_back({{"source", frame.source}, {"function", frame.function}});
  }
  json["instructions"] = line.instructions;
  json["active_threads"] = line.active_threads();
  if (line.branches > 0) {
    json["branches"] = line.branches;
    json["divergent_branches"] = line.divergent;
  }
  if (line.barriers > 0) json["barriers"] = line.barriers;
  json["accesses"] = OrderedJson::array();
  for (const AccessCounts& access : line.accesses) json["accesses"].push_back(json_of(access));
  json["waste"] = line.waste();
  if (const std::string sentence = advice(line); !sentence.empty()) json["advice"] = sentence;
  return json;
}

OrderedJson json_of(const ProfiledKernel& kernel, const LaunchCounts& launch) {
  const Occupancy occupancy = kernel.occupancy(launch);
  OrderedJson limits = {{"warps", launch.by_warps},
                        {"registers", nullptr},
                        {"shared_memory", launch.by_shared},
                        {"block_slots", launch.by_slots}};
  if (launch.by_registers != LaunchCounts::unknown) limits["registers"] = launch.by_registers;
  OrderedJson json = {{"grid", launch.grid},
                      {"block", launch.block},
                      {"dynamic_shared", launch.dynamic_shared},
                      {"count", launch.count},
                      {"blocks_per_multiprocessor", occupancy.blocks},
                      {"limits", limits},
                      {"limited_by", occupancy.limited_by},
                      {"theoretical_occupancy", occupancy.share},
                      {"occupancy_bound_by_blocks", occupancy.bound},
                      {"waves", occupancy.waves},
                      {"last_wave", occupancy.last_wave}};
  if (const std::string sentence = advice(kernel, launch); !sentence.empty())
    json["advice"] = sentence;
  return json;
}

OrderedJson json_of(const ProfiledKernel& kernel, size_t limit) {
  OrderedJson json = {{"kernel", kernel.name},
                      {"symbol", kernel.symbol},
                      {"device", kernel.device},
                      {"registers", nullptr},
                      {"static_shared", kernel.static_shared},
                      {"launch_count", kernel.launch_count()}};
  if (kernel.registers > 0) json["registers"] = kernel.registers;
  json["launches"] = OrderedJson::array();
  for (const LaunchCounts& launch : kernel.launches)
    json["launches"].push_back(json_of(kernel, launch));
  const size_t shown = limit == 0 ? kernel.lines.size() : std::min(limit, kernel.lines.size());
  json["lines"] = OrderedJson::array();
  for (size_t n = 0; n < shown; ++n) json["lines"].push_back(json_of(kernel.lines[n]));
  json["lines_left_out"] = kernel.lines.size() - shown;
  return json;
}

}  // namespace

std::string as_json(const ProfileModel& model, size_t limit) {
  OrderedJson json = {{"processes", model.processes}, {"kernels", OrderedJson::array()}};
  if (model.unreadable > 0) json["unreadable_lines"] = model.unreadable;
  for (const ProfiledKernel& kernel : model.kernels)
    json["kernels"].push_back(json_of(kernel, limit));
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace cuvette::tools
