// SPDX-License-Identifier: Apache-2.0
#include "sim/check/profile/kernel_profile.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <vector>

#include "sim/callsite/symbol.hpp"
#include "sim/check/profile/json_line.hpp"
#include "sim/check/profile/source_chains.hpp"
#include "sim/check/report/source_line.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/model/occupancy.hpp"

namespace cuvette::profile {
namespace {

using device::Attribute;
using ptx::CountedPlace;
using ptx::Counter;

const char* name_of(CountedPlace::Kind kind) {
  switch (kind) {
    case CountedPlace::Kind::instructions:
      return "instructions";
    case CountedPlace::Kind::predicated:
      return "predicated";
    case CountedPlace::Kind::load:
      return "load";
    case CountedPlace::Kind::store:
      return "store";
    case CountedPlace::Kind::atomic:
      return "atomic";
    case CountedPlace::Kind::reduction:
      return "reduction";
    case CountedPlace::Kind::copy:
      return "copy";
    case CountedPlace::Kind::matrix_load:
      return "matrix load";
    case CountedPlace::Kind::matrix_store:
      return "matrix store";
    case CountedPlace::Kind::branch:
      return "branch";
    case CountedPlace::Kind::barrier:
      return "barrier";
  }
  return "";
}

bool accesses(CountedPlace::Kind kind) {
  return kind >= CountedPlace::Kind::load && kind <= CountedPlace::Kind::matrix_store;
}

// Places of one kind in one line of the PTX: the code for several classes of blocks, and copies of
// a function that was inlined several times, have one each.
using PlaceKey = std::tuple<uint64_t, CountedPlace::Kind, uint32_t>;  // location, kind, access
struct PlaceCounts {
  Counter counter{};
  uint64_t instructions = 0;  // executions times the number of instructions
  exec::AddressCounts addresses;
};

void add_hottest(JsonLine& line, const exec::AddressCounts& addresses) {
  const exec::AddressCounts::Hottest hottest = addresses.hottest();
  if (hottest.times == 0) return;
  JsonLine one;
  const bool shared = hottest.address & exec::shared_address;
  const uint64_t address = hottest.address & ~exec::shared_address;
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  one.add("address", text);
  one.add("space", shared ? "shared" : "global");
  one.add("times", hottest.times);
  one.add("of", addresses.all());
  if (hottest.at_least) one.add_raw("at_least", "true");
  if (!shared) {
    const auto allocation = device::Machine::get().memory().find_in_use(address);
    if (allocation) {
      one.add("offset", address - allocation->address);
      one.add("allocation_bytes", allocation->end() - allocation->address);
    }
  }
  line.add_raw("hottest", one.text());
}

}  // namespace

KernelProfile::KernelProfile(const device::KernelCall& call, const device::Profile& device)
    : program_(&call.function()->module()->program()), name_(call.name()), device_(device) {
  static_shared_ = call.code().shared_bytes;
  const auto& registers = program_->gpu_registers();
  if (const auto known = registers.find(name_); known != registers.end())
    registers_ = known->second;
}

void KernelProfile::add(const device::KernelCall& call, const exec::Counts& counts) {
  counts_[call.code().machine].add(counts);
  const device::LaunchShape& launch = call.shape();
  Shape shape;
  std::copy_n(launch.grid, 3, shape.grid.begin());
  std::copy_n(launch.block, 3, shape.block.begin());
  shape.dynamic_shared = launch.dynamic_shared;
  if (launches_.size() < most_shapes || launches_.contains(shape))
    ++launches_[shape];
  else
    ++other_launches_;
}

std::string KernelProfile::launches_json() const {
  JsonList list;
  for (const auto& [shape, count] : launches_) {
    const uint64_t threads = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
    const uint64_t blocks = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    const device::BlockLimits limits = device::block_limits(
        device_, threads, size_t{static_shared_} + shape.dynamic_shared, registers_);
    JsonLine line;
    const auto three = [](const std::array<uint32_t, 3>& numbers) {
      JsonList result;
      for (const uint32_t number : numbers) result.add(std::to_string(number));
      return result.text();
    };
    line.add_raw("grid", three(shape.grid));
    line.add_raw("block", three(shape.block));
    line.add("dynamic_shared", shape.dynamic_shared);
    line.add("count", count);
    line.add("blocks", blocks);
    line.add("warps_per_block", (threads + ptx::warp_size - 1) / ptx::warp_size);
    line.add("limit_warps", limits.by_warps);
    line.add("limit_shared", limits.by_shared);
    line.add("limit_slots", limits.by_slots);
    if (registers_) line.add("limit_registers", limits.by_registers);
    list.add(line.text());
  }
  return list.text();
}

std::string KernelProfile::places_json() const {
  std::map<PlaceKey, PlaceCounts> places;
  for (const auto& [code, counts] : counts_)
    for (const CountedPlace& place : code->facts.places) {
      PlaceCounts& here = places[{place.location, place.kind, place.access}];
      const Counter counter = exec::settled(counts.counters[place.counter], place);
      here.instructions += counter.executions * place.count;
      exec::add_counter(here.counter, counter);
      if (const auto known = counts.atomics.find(place.counter); known != counts.atomics.end())
        here.addresses.add(known->second);
    }
  std::vector<uint32_t> lines;
  for (const auto& [key, place] : places)
    if (place.counter.executions > 0)
      lines.push_back(static_cast<uint32_t>(check::ptx_line(std::get<0>(key))));
  std::ranges::sort(lines);
  const ptx::Module& module = program_->syntax();
  const auto chains = source_chains(module.text, lines);
  const auto source_of = [&](uint32_t file, uint32_t line) {
    return check::source_line(ptx::location_of(0, file, line), &module);
  };

  JsonList list;
  for (const auto& [key, place] : places) {
    const auto& [location, kind, access] = key;
    const Counter& counter = place.counter;
    if (counter.executions == 0) continue;
    JsonLine line;
    const auto ptx_line = static_cast<uint32_t>(check::ptx_line(location));
    line.add("kind", name_of(kind));
    line.add("ptx", ptx_line);
    const std::string source = check::source_line(location, &module);
    if (!source.empty()) line.add("source", source);
    const auto chain = chains.find(ptx_line);
    if (!source.empty() && chain != chains.end()) {
      JsonList frames;
      for (const SourceFrame& frame : chain->second) {
        JsonLine one;
        one.add("source", source_of(frame.file, frame.line));
        if (!frame.function.empty())
          one.add("function", callsite::readable_name(frame.function.c_str()));
        frames.add(one.text());
      }
      line.add_raw("inlined", frames.text());
    }
    line.add("executions", counter.executions);
    line.add("lanes", counter.lanes);
    if (kind == CountedPlace::Kind::instructions) line.add("instructions", place.instructions);
    if (kind == CountedPlace::Kind::branch) line.add("divergent", counter.divergent);
    if (accesses(kind)) {
      line.add("bytes", ptx::access_bytes(access));
      if (counter.global_requests > 0) {
        line.add("global_requests", counter.global_requests);
        line.add("global_lanes", counter.global_lanes);
        line.add("sectors", counter.sectors);
        line.add("ideal_sectors", counter.ideal_sectors);
      }
      if (counter.shared_requests > 0) {
        line.add("shared_requests", counter.shared_requests);
        line.add("shared_lanes", counter.shared_lanes);
        line.add("wavefronts", counter.wavefronts);
        line.add("ideal_wavefronts", counter.ideal_wavefronts);
      }
      if (counter.strided > 0) {
        line.add_raw("stride", std::to_string(counter.stride));
        line.add("strided", counter.strided);
      }
      if (access & ptx::access_atomic) {
        line.add("most_together", counter.most_together);
        line.add("behind_others", counter.behind_others);
        if (counter.global_requests > 0) line.add("sector_visits", place.addresses.sector_visits());
        add_hottest(line, place.addresses);
      }
    }
    list.add(line.text());
  }
  return list.text();
}

std::string KernelProfile::json() const {
  JsonLine device;
  device.add("name", device_.name);
  device.add("multiprocessors", device_.amount(Attribute::MULTIPROCESSOR_COUNT));
  device.add("warps_per_multiprocessor",
             device_.amount(Attribute::MAX_THREADS_PER_MULTIPROCESSOR) / ptx::warp_size);
  JsonLine line;
  line.add("kernel", callsite::readable_name(name_.c_str()));
  line.add("symbol", name_);
  line.add_raw("device", device.text());
  line.add("static_shared", static_shared_);
  if (registers_) line.add("registers", registers_);
  line.add_raw("launches", launches_json());
  if (other_launches_) line.add("other_launches", other_launches_);
  line.add_raw("places", places_json());
  return line.text();
}

}  // namespace cuvette::profile
