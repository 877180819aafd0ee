// SPDX-License-Identifier: Apache-2.0
#include "sim/check/api/leaks.hpp"

#include <atomic>
#include <string>

#include "sim/callsite/symbol.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::check {

using memory::Allocation;
using memory::AllocationKind;

namespace {

const char* name(Holding what) {
  switch (what) {
    case Holding::addresses:
      return "reserved addresses";
    case Holding::physical_memory:
      return "physical memory";
    case Holding::external_memory:
      break;
  }
  return "an imported memory object";
}

const char* freed_with(Holding what) {
  switch (what) {
    case Holding::addresses:
      return "cuMemAddressFree";
    case Holding::physical_memory:
      return "cuMemRelease";
    case Holding::external_memory:
      break;
  }
  return "cuDestroyExternalMemory";
}

// Whether it is memory that the program asked for, and has to free.
bool is_the_programs(const Allocation& allocation) {
  // The copy of a graphics resource ends with its registration, which has its own report.
  if (allocation.lender) return false;
  switch (allocation.kind) {
    case AllocationKind::device:
    case AllocationKind::array:
    case AllocationKind::external:
    case AllocationKind::external_array:
    case AllocationKind::mapping:
    case AllocationKind::pool:
    case AllocationKind::pinned:
      break;
    case AllocationKind::managed:
      if (!allocation.name.empty()) return false;  // a module's variable
      break;
    // Another process's; registered memory is the program's own and stays; the rest is never freed.
    case AllocationKind::shared:
    case AllocationKind::imported:
    case AllocationKind::registered:
    case AllocationKind::graphics:
    case AllocationKind::reserve:
    case AllocationKind::variable:
      return false;
  }
  // A graph's memory ends with the graph, or once a command that is still queued has freed it.
  return allocation.call_site &&
         allocation.graph_life.load(std::memory_order_acquire) == memory::GraphLife::none;
}

// Whether it belongs to a context that a command has broken: calls that would free it are refused.
bool is_lost(const Allocation& allocation) {
  const Ref<device::Context> owner = device::Context::of_generation(allocation.owner);
  return owner && owner->error();
}

// The memory that one line of the program has allocated.
struct Group {
  const char* what = nullptr;
  const void* place = nullptr;  // of one of the calls
  const char* freed_with = nullptr;
  uint64_t count = 0, bytes = 0;
};
using Groups = std::map<std::pair<const void*, const char*>, Group>;

void add(Groups& groups, const void* place, const char* what, const char* freed_with,
         uint64_t bytes) {
  Group& group = groups[{callsite::caller_of(place), what}];
  group.what = what;
  group.place = place;
  group.freed_with = freed_with;
  ++group.count;
  group.bytes += bytes;
}

void report(const Groups& groups, const char* end, const void* end_place) {
  for (const auto& [key, group] : groups) {
    if (!reporter().admit(ReportId::leaked_memory, group.place)) continue;
    const bool one = group.count == 1;
    std::string sentence =
        (one ? std::string("One allocation") : std::to_string(group.count) + " allocations") +
        " of " + group.what + " (" + std::to_string(group.bytes) + " bytes" +
        (one ? "" : " in total") + ") " + (one ? "is" : "are") + " not freed when the " + end +
        " ends.";
    Report report{ReportId::leaked_memory, std::move(sentence), {}};
    report.advice =
        std::string("Free it with ") + group.freed_with + " before the " + end +
        " ends; memory that is allocated and never freed adds up in a program that runs for long.";
    report.facts.push_back({"memory", group.what});
    report.facts.push_back({"allocations", group.count});
    report.facts.push_back({"bytes", group.bytes});
    report.facts.push_back({"allocated at", callsite::describe_call(group.place)});
    if (end_place) report.facts.push_back({"ended at", callsite::describe_call(end_place)});
    reporter().write(report);
  }
}

}  // namespace

Leaks* Leaks::get() { return instrument<Leaks>(); }

void Leaks::context_ending(const device::Context& context) {
  if (context.error()) return;  // the calls that would free it are refused
  Groups groups;
  for (const Ref<Allocation>& one : device::Machine::get().memory().all())
    if (one->owner == context.generation() && is_the_programs(*one))
      add(groups, one->call_site, check::name(one->kind), freed_with(one->kind), one->size);
  report(groups, "context", device::Thread::current().call_site);
}

void Leaks::holds(Holding what, uint64_t number, uint64_t bytes) {
  const void* const place = device::Thread::current().call_site;
  MutexLock lock(mutex_);
  held_.insert_or_assign({what, number}, Held{bytes, place});
}

void Leaks::gives_back(Holding what, uint64_t number) {
  MutexLock lock(mutex_);
  held_.erase({what, number});
}

void Leaks::freed_too_late() {
  MutexLock lock(mutex_);
  freed_too_late_ = true;
}

void Leaks::process_ends(int status) {
  if (status != 0) return;
  Groups groups;
  {
    MutexLock lock(mutex_);
    if (freed_too_late_) return;
    for (const auto& [key, held] : held_)
      add(groups, held.place, name(key.first), freed_with(key.first), held.bytes);
  }
  for (const Ref<Allocation>& one : device::Machine::get().memory().all())
    if (is_the_programs(*one) && !is_lost(*one))
      add(groups, one->call_site, check::name(one->kind), freed_with(one->kind), one->size);
  report(groups, "process", nullptr);
}

}  // namespace cuvette::check
