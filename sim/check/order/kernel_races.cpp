// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/kernel_races.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/heap_facts.hpp"
#include "sim/check/report/source_line.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::check {

using watch::Accessor;
using watch::ThreadRace;

InKernel in_kernel(const LaunchedKernel& kernel, const Accessor& by) {
  InKernel result;
  const std::string name(kernel.call.name());
  result.name = callsite::readable_name(name.c_str());
  const device::LaunchShape& shape = kernel.call.shape();
  result.has_thread = by.thread != Accessor::some_thread;
  const uint64_t row = by.block / shape.grid[0];
  result.block[0] = static_cast<uint32_t>(by.block % shape.grid[0]);
  result.block[1] = static_cast<uint32_t>(row % shape.grid[1]);
  result.block[2] = static_cast<uint32_t>(row / shape.grid[1]);
  result.thread[0] = by.thread % shape.block[0];
  result.thread[1] = by.thread / shape.block[0] % shape.block[1];
  result.thread[2] = by.thread / shape.block[0] / shape.block[1];
  const auto& function = kernel.call.function();
  result.ptx_line = ptx_line(by.place.location);
  result.source = source_line(by.place.location, function ? &function->module_text() : nullptr);
  return result;
}

const char* verb(const Accessor& by) {
  if (by.place.access & ptx::access_atomic) return "changes";
  return by.place.writes() ? "writes" : "reads";
}

std::string thread_of(const InKernel& access) {
  return "thread " + triple(access.thread) + " of block " + triple(access.block);
}

std::string line_in_words(const InKernel& access) {
  return access.source.empty() ? "line " + std::to_string(access.ptx_line) + " of the PTX"
                               : access.source;
}

void add_launch(Report& report, const LaunchedKernel& kernel) {
  report.commands = {{kernel.stream.id(), kernel.number}};
  std::vector<Fact>& facts = report.facts;
  facts.push_back({"grid", triple(kernel.call.shape().grid)});
  facts.push_back({"threads of a block", triple(kernel.call.shape().block)});
  facts.push_back({"number", kernel.number});
  facts.push_back({"stream", stream_as_fact(kernel.stream)});
  facts.push_back({"launched at", callsite::describe_call(kernel.operation.call_site)});
}

std::optional<VariablePart> part_of(const LaunchedKernel& kernel, bool shared, uint64_t address,
                                    uint64_t bytes) {
  if (shared) return shared_part(kernel.call.code(), kernel.call.shape(), address, bytes);
  return global_part(device::Machine::get().memory().find(address).get(), address, bytes);
}

std::string in_words(const std::optional<VariablePart>& part, uint64_t address) {
  return part ? part->words : hexadecimal(address);
}

void add_address(std::vector<Fact>& facts, const std::optional<VariablePart>& part,
                 uint64_t address) {
  facts.push_back({"address", hexadecimal(address)});
  if (part) facts.push_back({"variable", part->fact()});
}

void add_allocation(std::vector<Fact>& facts, const LaunchedKernel& kernel, uint64_t address) {
  const auto heap = in_heap(kernel.stream, kernel.call, address);
  if (!heap)
    add_facts(facts, locate(device::Machine::get().memory(), address), address);
  else if (heap->is_inside())
    add_facts(facts, *heap);
  else
    facts.push_back({"allocation", "memory of the kernel heap, freed since"});
}

const void* place_of(const LaunchedKernel& kernel, uint64_t location) {
  return reinterpret_cast<const void*>(
      reinterpret_cast<uint64_t>(callsite::caller_of(kernel.operation.call_site)) * 31 + location);
}

namespace {

const char* kind(const Accessor& by) {
  if (by.place.access & ptx::access_atomic) return "atomic";
  return by.place.writes() ? "write" : "read";
}

bool is_strong(const Accessor& by) { return by.place.access & ptx::access_strong; }

// The same number for all instructions of a line of the source.
uint64_t line_of(const LaunchedKernel& kernel, const Accessor& by) {
  const auto& function = kernel.call.function();
  const std::string line =
      source_line(by.place.location, function ? &function->module_text() : nullptr);
  return line.empty() ? by.place.location : std::hash<std::string>()(line);
}
uint64_t access_of(const LaunchedKernel& kernel, const Accessor& by) {
  const uint64_t line = line_of(kernel, by);
  return by.place.writes() ? ~line : line;
}

// Says what would order the two.
std::string missing(const ThreadRace& race, bool at_one_line) {
  const Accessor &a = race.earlier, &b = race.later;
  if (race.under_way)
    return "cp.async.wait_group or a pipeline's consumer_wait() in the thread that copies, and a "
           "barrier before others use the copy";
  if (at_one_line && !is_strong(a) && !is_strong(b))
    return "an atomic operation in place of the plain read and write, or a single thread that "
           "makes them; both threads are at the same line, so a barrier cannot order them";
  if (is_strong(a) && is_strong(b) && a.block != b.block)
    return "a wider scope: each of the two accesses is atomic only within its own block";
  if (is_strong(a) != is_strong(b) && a.block != b.block)
    return "an atomic operation, or a volatile access, in both places; or an order between the "
           "two: "
           "a fence and a flag, the grid's barrier, or two launches";
  if (a.block != b.block)
    return "an order between blocks: __threadfence() and then an atomic operation or a flag, which "
           "the other thread reads before its own __threadfence(); the grid's barrier; or two "
           "launches";
  if (a.thread / ptx::warp_size == b.thread / ptx::warp_size)
    return "__syncwarp() between the two, by both threads";
  return "__syncthreads() between the two, or another barrier that both threads reach";
}

}  // namespace

std::string triple(const uint32_t (&numbers)[3]) {
  return "(" + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) + ", " +
         std::to_string(numbers[2]) + ")";
}

void add_facts(std::vector<Fact>& facts, const InKernel& kernel, bool earlier) {
  const auto key = [&](const char* own, const char* other) { return earlier ? other : own; };
  facts.push_back({key("kernel", "earlier kernel"), kernel.name});
  if (!kernel.source.empty()) facts.push_back({key("source", "earlier source"), kernel.source});
  if (kernel.ptx_line != 0)
    facts.push_back({key("line of the PTX", "earlier line of the PTX"), kernel.ptx_line});
  if (!kernel.has_thread) return;
  facts.push_back({key("thread", "earlier thread"), triple(kernel.thread)});
  facts.push_back({key("block", "earlier block"), triple(kernel.block)});
}

Ref<Access> access_by(const Source& own, const LaunchedKernel& kernel, const Accessor& by) {
  auto access = make_ref<Access>(own);
  access->kernel = std::make_unique<const InKernel>(in_kernel(kernel, by));
  return access;
}

const void* place_of(const LaunchedKernel& kernel, const Accessor& earlier, const Accessor& later) {
  const auto [least, most] = std::minmax({access_of(kernel, earlier), access_of(kernel, later)});
  constexpr uint64_t mixed = 0x9e37'79b9'7f4a'7c15;  // both may be one line
  return place_of(kernel, least * mixed ^ most);
}

Report thread_race_report(const LaunchedKernel& kernel, const ThreadRace& race, bool at_one_line) {
  const InKernel earlier = in_kernel(kernel, race.earlier), later = in_kernel(kernel, race.later);
  const auto part = part_of(kernel, race.shared, race.begin, race.bytes);
  std::string sentence = "In the kernel " + later.name + ", " + thread_of(later) + " " +
                         verb(race.later) + " " + std::to_string(race.bytes) + " bytes of " +
                         (race.shared ? "shared memory at " : "memory at ") +
                         in_words(part, race.begin) + " that " + thread_of(earlier) + " " +
                         verb(race.earlier) +
                         (race.under_way ? " by a copy that has not been waited for."
                                         : ", and nothing orders the two.");
  Report report{ReportId::thread_race, std::move(sentence), {}};
  std::vector<Fact>& facts = report.facts;
  add_address(facts, part, race.begin);
  facts.push_back({"bytes", uint64_t{race.bytes}});
  if (race.address != race.begin)
    facts.push_back({"first byte of both", hexadecimal(race.address)});
  facts.push_back({"access", kind(race.later)});
  add_facts(facts, later, false);
  facts.push_back({"earlier access", kind(race.earlier)});
  add_facts(facts, earlier, true);
  facts.push_back({"missing", missing(race, at_one_line)});
  add_launch(report, kernel);
  if (!race.shared) add_allocation(facts, kernel, race.address);
  return report;
}

void report_thread_races(const LaunchedKernel& kernel, const watch::RaceWatch& watch) {
  // Lines at which several threads write the same bytes, as in "count += 1".
  std::set<uint64_t> lines;
  for (const ThreadRace& race : watch.found())
    if (race.earlier.place.writes() && race.later.place.writes() &&
        line_of(kernel, race.earlier) == line_of(kernel, race.later))
      lines.insert(line_of(kernel, race.later));
  for (const ThreadRace& race : watch.found()) {
    if (!reporter().admit(ReportId::thread_race, place_of(kernel, race.earlier, race.later)))
      continue;
    const uint64_t line = line_of(kernel, race.later);
    reporter().write(thread_race_report(
        kernel, race, line == line_of(kernel, race.earlier) && lines.contains(line)));
  }
}

void report_read_only(const LaunchedKernel& kernel,
                      const std::vector<watch::ReadOnlyMistake>& mistakes) {
  for (const watch::ReadOnlyMistake& mistake : mistakes) {
    const auto& [reader, writer, address] = mistake;
    if (!reporter().admit(ReportId::read_only_written, place_of(kernel, writer, reader))) continue;
    const InKernel reads = in_kernel(kernel, reader), writes = in_kernel(kernel, writer);
    Report report{ReportId::read_only_written,
                  "In the kernel " + reads.name + ", " + thread_of(reads) + " reads memory at " +
                      hexadecimal(address) + " by a load for read-only memory, or a texture, and " +
                      thread_of(writes) + " of the same launch " + verb(writer) +
                      " it: the value is undefined.",
                  {}};
    std::vector<Fact>& facts = report.facts;
    facts.push_back({"address", hexadecimal(address)});
    add_facts(facts, reads, false);
    // Which of the two came first does not matter.
    facts.push_back({"written at", line_in_words(writes)});
    facts.push_back({"writing thread", triple(writes.thread)});
    facts.push_back({"writing block", triple(writes.block)});
    add_launch(report, kernel);
    add_allocation(facts, kernel, address);
    reporter().write(report);
  }
}

}  // namespace cuvette::check
