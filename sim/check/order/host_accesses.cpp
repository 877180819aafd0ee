// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/host_accesses.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/order/kernel_races.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/pools/managed_memory.hpp"
#include "sim/memory/pieces.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/page.hpp"
#include "sim/os/process.hpp"

namespace cuvette::check {

using device::Operation;
using device::OperationKind;
using memory::Allocation;
using memory::AllocationKind;
using memory::PoolMemory;
using memory::Region;

namespace {

// A box with more rows is not looked after.
constexpr size_t most_rows = 4096;

uint64_t down(uint64_t address) { return address & ~(uint64_t{os::page_size()} - 1); }
uint64_t up(uint64_t address) { return down(address + os::page_size() - 1); }

// Whether nothing else lies on the allocation's last page.
bool has_own_pages(const Allocation& allocation) {
  return allocation.kind == AllocationKind::pinned || allocation.kind == AllocationKind::managed;
}

// Whether kernels have such memory to themselves on a device without concurrent access. Memory that
// is attached to a stream, or to the host, is left out.
bool may_be_exclusive(const Allocation& allocation) {
  return allocation.kind == AllocationKind::managed &&
         allocation.flags == memory::attach_flag::global &&
         !device::ManagedMemory::was_attached(allocation);
}

// Says what would let the program know that the command is over.
std::string missing(const Access& command) {
  const std::string stream = stream_in_words(command);
  return "a synchronisation with " + stream + ", or with an event that is recorded in it after " +
         place_in_words(command) +
         ", before the access; a query of either that answers CUDA_SUCCESS will do";
}

std::string advice_of(const HostRace& race) {
  const Access& command = *race.command;
  const std::string stream = stream_in_words(command), place = place_in_words(command);
  const std::string wait = "Call cuStreamSynchronize for " + stream +
                           ", or cuEventSynchronize for an event that is recorded there after " +
                           place + ", before the host ";
  if (race.exclusive)
    return wait +
           "touches managed memory; or give the host memory that no kernel uses, with "
           "cuStreamAttachMemAsync(CU_MEM_ATTACH_HOST).";
  if (!race.place)
    return wait + "changes what " + with_article(name_of(command)) +
           " reads, or give each of them memory of its own.";
  // Two buffers take turns; a result has to be waited for.
  if (!race.command_writes)
    return wait + "writes to the memory, or let it write to another buffer meanwhile.";
  return wait + (race.writes ? "writes to" : "reads") +
         " the memory, or do that in a host function that is enqueued there after it "
         "(cuLaunchHostFunc).";
}

}  // namespace

Report host_race_report(const HostRace& race) {
  const Access& command = *race.command;
  const std::string memory = race.allocation ? name(race.allocation->kind) : "pageable host memory";
  const char* const does = !race.place ? "has changed " : race.writes ? "writes to " : "reads ";
  const std::string who =
      std::string("A host thread ") + does + memory + " at " + hexadecimal(race.address);
  const std::string by = with_article(name_of(command)) + " in " + stream_in_words(command);
  std::string sentence =
      race.exclusive
          ? who + ", and the program has not waited for " + by +
                ". This device has no concurrentManagedAccess: while a kernel may run, all managed "
                "memory is the kernel's, whether it uses it or not."
          : who + " that " + by + " " + (race.command_writes ? "writes" : "reads") +
                ", and the program has not waited for it.";
  Report report{ReportId::host_race, std::move(sentence), {}, advice_of(race)};
  report.commands = {command_of(command)};
  report.address = race.address;
  report.size = 1;
  auto& facts = report.facts;
  const auto access = [](bool writes) { return std::string(writes ? "write" : "read"); };
  facts.push_back({"address", hexadecimal(race.address)});
  facts.push_back({"access", access(race.writes)});
  if (race.place)
    facts.push_back({"instruction", callsite::describe(race.place)});
  else
    facts.push_back({"found at", callsite::describe_call(race.found_at)});
  facts.push_back({"command", name_of(command)});
  if (!race.exclusive) facts.push_back({"command's access", access(race.command_writes)});
  // Of an exclusive one, which of its threads touches what does not matter.
  if (command.kernel && !race.exclusive) add_facts(facts, *command.kernel, false);
  facts.push_back({"stream", stream_as_fact(command)});
  facts.push_back({"number", command.number});
  facts.push_back({"submitted at", callsite::describe_call(command.call_site)});
  facts.push_back({"missing", missing(command)});
  if (!race.allocation) return report;
  add_facts(facts, *race.allocation, race.address);
  return report;
}

bool looks_at_host() {
  static const bool wanted = checks(Check::host);
  return wanted;
}

bool meets_host(const Operation& operation) {
  return operation.kind == OperationKind::copy || operation.kind == OperationKind::fill ||
         operation.kind == OperationKind::kernel || operation.kind == OperationKind::discard;
}

bool tells_others(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::value_write:
    case OperationKind::value_batch:
    case OperationKind::semaphore_signal:
    case OperationKind::graphics_unmap:
      return true;
    default:
      return operation.tells_other_processes();
  }
}

bool touches_flags(const std::vector<watch::Touched>& all) {
  return std::ranges::any_of(all, [&](const watch::Touched& touched) {
    if (!touched.atomic) return false;
    const Ref<Allocation> allocation = device::Machine::get().memory().find(touched.begin);
    return allocation && allocation->host_accessible();
  });
}

bool HostAccesses::concerns(const Allocation& allocation) {
  return allocation.kind >= AllocationKind::pinned ||
         (allocation.kind == AllocationKind::pool && allocation.pool_memory != PoolMemory::device);
}

bool HostAccesses::may_be_protected(const Allocation& allocation) {
  if (allocation.kind != AllocationKind::registered) return true;
  if (allocation.flags & memory::register_flag::read_only) return false;
  const auto [known, fresh] = registered_.try_emplace(allocation.buffer_id, false);
  if (fresh) known->second = os::accessible(allocation.address, allocation.size, true);
  return known->second;
}

void HostAccesses::add_hold(const Hold& hold) {
  auto& holds = holds_[hold.point.stream];
  // A kernel's accesses come late.
  auto at = holds.end();
  while (at != holds.begin() && std::prev(at)->point.position > hold.point.position) --at;
  holds.insert(at, hold);
}

void HostAccesses::add_bytes(const Part& bytes) {
  // In front of what the program has installed since: commands need the handler, too.
  os::watch_faults(device::Machine::get().fault_hook());
  const Allocation& allocation = *bytes.allocation;
  const bool own = has_own_pages(allocation);
  const os::HeldFor what = bytes.writes ? os::HeldFor::writing : os::HeldFor::reading;
  const auto add_shared = [&](uint64_t begin, uint64_t end) {
    if (!bytes.writes && bytes.steady) snapshots_.take(bytes.access, bytes.allocation, begin, end);
    const uint64_t page = down(begin), next = page + os::page_size();
    // Such a page always has a part that something else uses.
    if (!own && (page < allocation.address || next > allocation.end())) return;
    SharedPages::Part part = bytes;
    part.begin = begin;
    part.end = end;
    shared_.add(part, page, std::min(next, allocation.end()));
    add_hold({bytes.point, page, next, what, true});
  };
  const uint64_t first = up(bytes.begin);
  const uint64_t last = own && bytes.end == allocation.end() ? up(bytes.end) : down(bytes.end);
  if (first > last) return add_shared(bytes.begin, bytes.end);
  if (bytes.begin < first) add_shared(bytes.begin, first);
  if (first < last) {
    os::HeldPages::get().hold(first, last, what);
    add_hold({bytes.point, first, last, what, false});
  }
  if (last < bytes.end) add_shared(last, bytes.end);
}

void HostAccesses::add(const Ref<const Access>& access, const Ref<const Allocation>& allocation,
                       const Region& region, bool writes, bool steady) {
  if (region.empty() || !concerns(*allocation) || !may_be_protected(*allocation)) return;
  memory::visit_pieces(region, most_rows, [&](uint64_t offset, uint64_t size) {
    const uint64_t begin = region.address + offset;
    add_bytes({{access->point, allocation, begin, begin + size, writes}, access, steady});
  });
}

void HostAccesses::add_pageable(const Ref<const Access>& access, const Region& region,
                                bool writes) {
  if (region.empty()) return;
  if (writes) {
    pageable_writes_.push_back({access->point, region.address, region.address + region.extent()});
    return written(region);
  }
  memory::visit_pieces(region, most_rows, [&](uint64_t offset, uint64_t size) {
    const uint64_t begin = region.address + offset, end = begin + size;
    if (std::ranges::none_of(pageable_writes_, [&](const PageableWrite& write) {
          return write.begin < end && begin < write.end;
        }))
      snapshots_.take(access, {}, begin, end);
  });
}

void HostAccesses::add_exclusive(const Ref<const Access>& kernel) {
  uint64_t newest = 0;
  for (const Ref<Allocation>& one : device::Machine::get().memory().all()) {
    if (!may_be_exclusive(*one)) continue;
    newest = std::max(newest, one->buffer_id);
    const uint64_t begin = down(one->address), end = up(one->end());
    os::watch_faults(device::Machine::get().fault_hook());
    os::HeldPages::get().hold(begin, end, os::HeldFor::writing);
    add_hold({kernel->point, begin, end, os::HeldFor::writing, false});
  }
  if (newest != 0) exclusive_.push_back({kernel, newest});
}

Ref<const Access> HostAccesses::exclusive_user(
    const Allocation& allocation, const std::function<bool(const Access&)>& ordered) const {
  if (!may_be_exclusive(allocation)) return {};
  for (auto one = exclusive_.rbegin(); one != exclusive_.rend(); ++one)
    if (allocation.buffer_id <= one->newest && !ordered(*one->kernel)) return one->kernel;
  return {};
}

void HostAccesses::written(const Region& region) {
  if (!region.empty()) snapshots_.written(region.address, region.address + region.extent());
}

std::vector<HostSnapshots::Change> HostAccesses::release(const Known& known) {
  std::erase_if(pageable_writes_, [&](const PageableWrite& write) { return known(write.point); });
  std::erase_if(exclusive_, [&](const Exclusive& one) { return known(one.kernel->point); });
  for (auto stream = holds_.begin(); stream != holds_.end();) {
    auto& holds = stream->second;
    // If a command is known to be complete, so are all earlier ones in its stream.
    while (!holds.empty() && known(holds.front().point)) {
      const Hold& hold = holds.front();
      if (hold.shared)
        shared_.remove(hold.begin, known);
      else
        os::HeldPages::get().release(hold.begin, hold.end, hold.what);
      holds.pop_front();
    }
    stream = holds.empty() ? holds_.erase(stream) : std::next(stream);
  }
  shared_.settle();
  return snapshots_.release(known);
}

void HostAccesses::told_by(const Source& source) {
  told_.join(source.clock);
  uint64_t& position = told_in_[source.point.stream];
  position = std::max(position, source.point.position);
}

bool HostAccesses::may_be_told(const HappensBefore& happens, const Point& point) const {
  if (happens.comes_before(point, told_)) return true;
  const auto told = told_in_.find(point.stream);
  return told != told_in_.end() && point.position <= told->second;
}

const void* HostAccesses::place_of(const os::HeldTouch& touch) {
  if (callsite::is_of_this_library(touch.instruction)) return nullptr;
  if (!callsite::is_of_c_library(touch.instruction)) return touch.instruction;
  // memcpy() and its like keep no frame.
  if (callsite::is_of_this_library(touch.caller)) return nullptr;
  if (!callsite::is_code(touch.caller)) return touch.instruction;
  return static_cast<const char*>(touch.caller) - 1;  // inside the call
}

}  // namespace cuvette::check
