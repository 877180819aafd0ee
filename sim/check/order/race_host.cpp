// SPDX-License-Identifier: Apache-2.0
// The part of RaceObserver that handles host threads.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/race.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/os/page.hpp"

namespace cuvette::check {

using device::Operation;
using memory::Allocation;

namespace {

// Whether kernels in the stream have all managed memory to themselves.
bool has_managed_memory_to_itself(const device::Stream& stream) {
  return stream.context().device().profile().attribute(
             static_cast<int>(device::Attribute::CONCURRENT_MANAGED_ACCESS)) == 0;
}

}  // namespace

void RaceObserver::note_told(const Operation& operation, const Source& source) {
  if (!looks_at_host()) return;
  if (tells_others(operation)) host_.told_by(source);
  // It does not say what it writes.
  if (operation.kind == device::OperationKind::value_batch) host_.written_anywhere();
}

void RaceObserver::begin_kernel(const device::Stream& stream, const Operation& operation,
                                const Running& kernel) {
  running_.insert_or_assign(&operation, kernel);
  const Source& launched = *kernel.access;
  if (launched.in_graph)
    kernels_of_graphs_[{launched.point.stream, launched.number}].push_back(&operation);
  if (!looks_at_host() || !has_managed_memory_to_itself(stream)) return;
  auto named = make_ref<Access>(launched);
  InKernel in;
  in.name = callsite::readable_name(std::string(device::kernel_name(operation)).c_str());
  named->kernel = std::make_unique<const InKernel>(std::move(in));
  host_.add_exclusive(named);
}

void RaceObserver::release_known() {
  if (!looks_at_host()) return;
  const auto changes = host_.release(
      [&](const Point& point) REQUIRES(order_.mutex) { return order_.happens.host_knows(point); });
  for (const HostSnapshots::Change& change : changes)
    if (!host_.may_be_told(order_.happens, change.command->point))
      undecided_.push_back({change.address, true, nullptr, change.command, false, change.allocation,
                            device::Thread::current().call_site});
}

bool RaceObserver::follows_host_call(const Access& access, bool started) const {
  return std::ranges::any_of(host_calls_, [&](const auto& entry) REQUIRES(order_.mutex) {
    const HostCall& call = entry.second;
    if (started && !call.started) return false;
    if (call.point.stream != access.point.stream)
      return order_.happens.comes_before(call.point, access.clock);
    return call.point.position < access.point.position;
  });
}

bool RaceObserver::ordered_with_host(const Access& known) const {
  // It may be a host function that has done it.
  return !known.meets_host || host_.may_know(order_.happens, known.point) ||
         follows_host_call(known, true);
}

void RaceObserver::look_at_host() {
  if (!looks_at_host()) return;
  for (const os::HeldTouch& touch : os::HeldPages::get().take_touches()) {
    const void* const place = HostAccesses::place_of(touch);
    const Ref<Allocation> allocation = device::Machine::get().memory().find(touch.address);
    if (!place || !allocation) continue;
    std::vector<Conflict> conflicts;
    history_.look_at(
        *allocation, touch.address, touch.write,
        [&](const Access& known) REQUIRES(order_.mutex) {
          return ordered_with_host(known) ? Order::before : Order::unordered;
        },
        conflicts);
    // Once the latest is over, so are the others.
    const auto latest = std::ranges::max_element(
        conflicts, {}, [](const Conflict& conflict) { return conflict.earlier->point.sequence; });
    if (latest == conflicts.end()) {
      Ref<const Access> kernel = host_.exclusive_user(
          *allocation,
          [&](const Access& known) REQUIRES(order_.mutex) { return ordered_with_host(known); });
      if (kernel)
        undecided_.push_back({touch.address, touch.write, place, std::move(kernel), false,
                              allocation, nullptr, true});
      continue;
    }
    undecided_.push_back(
        {touch.address, touch.write, place, latest->earlier, latest->earlier_writes, allocation});
    // Changes of this page are known better now than by comparing it.
    if (touch.write)
      host_.written(
          memory::Region::linear(touch.address - touch.address % os::page_size(), os::page_size()));
  }
}

void RaceObserver::report_host_races() {
  if (!looks_at_host()) return;
  HostRaces races;
  {
    MutexLock lock(order_.mutex);
    if (!running_.empty()) return;
    races = std::exchange(undecided_, {});
  }
  for (const HostRace& race : races) {
    const auto submission = reinterpret_cast<uint64_t>(race.command->call_site);
    const auto place = reinterpret_cast<uint64_t>(race.place) + (submission << 20);
    if (reporter().admit(ReportId::host_race, reinterpret_cast<const void*>(place)))
      reporter().write(host_race_report(race));
  }
}

// Its last chance: what the host has touched is looked up among living memory.
void RaceObserver::freed(const Allocation&) {
  {
    MutexLock lock(order_.mutex);
    look_at_host();
  }
  report_host_races();
}

void RaceObserver::process_ends(int) {
  {
    MutexLock lock(order_.mutex);
    look_at_host();
  }
  report_host_races();
}

}  // namespace cuvette::check
