// SPDX-License-Identifier: Apache-2.0
// Reads what ProfileObserver (sim/check/profile) writes. A file may be damaged, or somebody else's:
// a member that is missing or of another type counts as 0, or as empty.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/cuvette/profile/profile_model.hpp"

namespace cuvette::tools {
namespace {

using CountsJson = nlohmann::json;
namespace fs = std::filesystem;

constexpr uint64_t most_number = uint64_t{1} << 62;  // sums of a few do not overflow

const CountsJson& member(const CountsJson& object, const char* name) {
  static const CountsJson none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

uint64_t number_in(const CountsJson& object, const char* name) {
  const CountsJson& value = member(object, name);
  return value.is_number_unsigned() ? std::min(value.get<uint64_t>(), most_number) : 0;
}

uint32_t small_number_in(const CountsJson& object, const char* name) {
  return static_cast<uint32_t>(std::min<uint64_t>(number_in(object, name), UINT32_MAX));
}

std::string text_in(const CountsJson& object, const char* name) {
  const CountsJson& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Adds without running over.
void add_to(uint64_t& sum, uint64_t more) { sum = std::min(sum + more, most_number); }

// Calls `visit` with the objects in a list.
template <typename Visit>
void each_object(const CountsJson& list, const Visit& visit) {
  if (!list.is_array()) return;
  for (const CountsJson& one : list)
    if (one.is_object()) visit(one);
}

void read_three(const CountsJson& list, uint32_t (&numbers)[3]) {
  for (size_t n = 0; n < 3; ++n) {
    numbers[n] = 1;
    if (list.is_array() && n < list.size() && list[n].is_number_unsigned())
      numbers[n] = static_cast<uint32_t>(std::min<uint64_t>(list[n].get<uint64_t>(), UINT32_MAX));
  }
}

LaunchCounts launch_of(const CountsJson& json) {
  LaunchCounts launch;
  read_three(member(json, "grid"), launch.grid);
  read_three(member(json, "block"), launch.block);
  launch.dynamic_shared = number_in(json, "dynamic_shared");
  launch.count = number_in(json, "count");
  launch.blocks = number_in(json, "blocks");
  launch.warps_per_block = std::clamp(small_number_in(json, "warps_per_block"), 1u, 32u);
  constexpr uint32_t most = 1 << 16;
  const auto limit = [&](const char* name) { return std::min(small_number_in(json, name), most); };
  launch.by_warps = limit("limit_warps");
  launch.by_shared = limit("limit_shared");
  launch.by_slots = limit("limit_slots");
  if (json.contains("limit_registers")) launch.by_registers = limit("limit_registers");
  return launch;
}

bool same_shape(const LaunchCounts& a, const LaunchCounts& b) {
  return std::ranges::equal(a.grid, b.grid) && std::ranges::equal(a.block, b.block) &&
         a.dynamic_shared == b.dynamic_shared;
}

bool is_access(const std::string& kind) {
  static constexpr std::string_view kinds[] = {"load", "store",       "atomic",      "reduction",
                                               "copy", "matrix load", "matrix store"};
  return std::ranges::find(kinds, kind) != std::end(kinds);
}

AccessCounts access_of(const CountsJson& json) {
  AccessCounts access;
  access.kind = text_in(json, "kind");
  access.bytes = small_number_in(json, "bytes");
  access.global_requests = number_in(json, "global_requests");
  access.global_lanes = number_in(json, "global_lanes");
  access.sectors = number_in(json, "sectors");
  access.ideal_sectors = std::min(number_in(json, "ideal_sectors"), access.sectors);
  access.shared_requests = number_in(json, "shared_requests");
  access.shared_lanes = number_in(json, "shared_lanes");
  access.wavefronts = number_in(json, "wavefronts");
  access.ideal_wavefronts = std::min(number_in(json, "ideal_wavefronts"), access.wavefronts);
  if (const CountsJson& stride = member(json, "stride"); stride.is_number_integer())
    access.stride = stride.get<int64_t>();
  access.strided = number_in(json, "strided");
  access.most_together = number_in(json, "most_together");
  access.behind_others = number_in(json, "behind_others");
  access.sector_visits = number_in(json, "sector_visits");
  const CountsJson& hottest = member(json, "hottest");
  access.hottest = {text_in(hottest, "address"),           text_in(hottest, "space"),
                    number_in(hottest, "times"),           number_in(hottest, "of"),
                    member(hottest, "at_least") == true,   number_in(hottest, "offset"),
                    number_in(hottest, "allocation_bytes")};
  return access;
}

// An address means something in its own process only; of several, the one with the most times.
void add_hottest(AccessCounts::Hottest& to, const AccessCounts::Hottest& from) {
  const uint64_t of = std::min(to.of + from.of, most_number);
  if (from.times > to.times) to = from;
  to.of = of;
}

void add_access(std::vector<AccessCounts>& all, AccessCounts access) {
  for (AccessCounts& one : all) {
    if (one.kind != access.kind || one.bytes != access.bytes) continue;
    add_to(one.global_requests, access.global_requests);
    add_to(one.global_lanes, access.global_lanes);
    add_to(one.sectors, access.sectors);
    add_to(one.ideal_sectors, access.ideal_sectors);
    add_to(one.shared_requests, access.shared_requests);
    add_to(one.shared_lanes, access.shared_lanes);
    add_to(one.wavefronts, access.wavefronts);
    add_to(one.ideal_wavefronts, access.ideal_wavefronts);
    if (one.stride == access.stride) {
      add_to(one.strided, access.strided);
    } else if (access.strided > one.strided) {
      one.stride = access.stride;
      one.strided = access.strided;
    }
    one.most_together = std::max(one.most_together, access.most_together);
    add_to(one.behind_others, access.behind_others);
    add_to(one.sector_visits, access.sector_visits);
    add_hottest(one.hottest, access.hottest);
    return;
  }
  all.push_back(std::move(access));
}

std::vector<ProfiledLine::Frame> frames_of(const CountsJson& list) {
  std::vector<ProfiledLine::Frame> frames;
  each_object(list, [&](const CountsJson& one) {
    frames.push_back({text_in(one, "source"), text_in(one, "function")});
  });
  return frames;
}

ProfiledLine& line_of(ProfiledKernel& kernel, const CountsJson& place) {
  const std::string source = text_in(place, "source");
  const uint32_t ptx = small_number_in(place, "ptx");
  for (ProfiledLine& line : kernel.lines)
    if (source.empty() ? line.source.empty() && line.ptx == ptx : line.source == source) {
      if (line.inlined.empty()) line.inlined = frames_of(member(place, "inlined"));
      line.ptx = std::min(line.ptx, ptx);
      return line;
    }
  ProfiledLine& line = kernel.lines.emplace_back();
  line.source = source;
  line.ptx = ptx;
  line.inlined = frames_of(member(place, "inlined"));
  return line;
}

void add_place(ProfiledKernel& kernel, const CountsJson& place) {
  ProfiledLine& line = line_of(kernel, place);
  const std::string kind = text_in(place, "kind");
  const uint64_t executions = number_in(place, "executions"), lanes = number_in(place, "lanes");
  if (kind == "instructions") {
    const uint64_t instructions = number_in(place, "instructions");
    add_to(line.instructions, instructions);
    // Each of them has the same lanes.
    const uint64_t each = executions == 0 ? 0 : instructions / executions;
    add_to(line.thread_instructions,
           lanes != 0 && each > most_number / lanes ? most_number : each * lanes);
  } else if (kind == "predicated") {
    add_to(line.instructions, executions);
    add_to(line.thread_instructions, lanes);
  } else if (kind == "branch") {
    add_to(line.branches, executions);
    add_to(line.divergent, std::min(number_in(place, "divergent"), executions));
  } else if (kind == "barrier") {
    add_to(line.barriers, executions);
  } else if (is_access(kind)) {
    add_access(line.accesses, access_of(place));
  }
}

ProfiledKernel& kernel_of(std::vector<ProfiledKernel>& kernels, const CountsJson& json) {
  const std::string symbol = text_in(json, "symbol"),
                    device = text_in(member(json, "device"), "name");
  const uint64_t shared = number_in(json, "static_shared");
  const uint32_t registers = small_number_in(json, "registers");
  for (ProfiledKernel& one : kernels)
    if (one.symbol == symbol && one.device == device && one.static_shared == shared &&
        one.registers == registers)
      return one;
  ProfiledKernel& made = kernels.emplace_back();
  made.name = text_in(json, "kernel");
  made.symbol = symbol;
  made.device = device;
  made.static_shared = shared;
  made.registers = registers;
  const CountsJson& facts = member(json, "device");
  made.multiprocessors = std::max<uint64_t>(small_number_in(facts, "multiprocessors"), 1);
  made.warps_per_multiprocessor =
      std::max<uint64_t>(small_number_in(facts, "warps_per_multiprocessor"), 1);
  return made;
}

}  // namespace

void ProfileModel::add(const std::string& line) {
  const CountsJson json = CountsJson::parse(line, nullptr, false);
  if (json.is_object() && json.contains("cuvette_profile")) {
    ++processes;
    return;
  }
  if (!json.is_object() || text_in(json, "symbol").empty()) {
    ++unreadable;
    return;
  }
  ProfiledKernel& kernel = kernel_of(kernels, json);
  each_object(member(json, "launches"), [&](const CountsJson& one) {
    const LaunchCounts launch = launch_of(one);
    const auto known = std::ranges::find_if(
        kernel.launches, [&](const LaunchCounts& other) { return same_shape(launch, other); });
    if (known == kernel.launches.end())
      kernel.launches.push_back(launch);
    else
      add_to(known->count, launch.count);
  });
  add_to(kernel.other_launches, number_in(json, "other_launches"));
  each_object(member(json, "places"), [&](const CountsJson& place) { add_place(kernel, place); });
}

ProfileModel read_profile(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::ranges::sort(files);
  ProfileModel model;
  for (const fs::path& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) model.add(line);
  }
  model.order();
  return model;
}

}  // namespace cuvette::tools
