// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/race.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <tuple>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/order/kernel_races.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/memory_operations.hpp"

namespace cuvette::check {

using device::Operation;
using device::OperationKind;
using device::Steps;
using device::Stream;
using device::StreamKind;
using memory::Allocation;
using memory::Region;

namespace {

Ref<Access> access_of(const Stream& stream, const Point& point, const char* what, uint64_t number,
                      const void* call_site) {
  auto access = make_ref<Access>();
  access->point = point;
  access->what = what;
  access->number = number;
  access->stream_kind = stream.kind();
  access->stream_handle = stream.api_name();
  access->call_site = call_site;
  return access;
}

// Whether steps may wait for each other by semaphores, too.
bool semaphores_order(const Steps& steps) {
  bool signals = false, waits = false;
  for (size_t i = 0; i < steps.count(); ++i)
    for (const auto& action : steps.step(i).semaphores())
      (action->signals() ? signals : waits) = true;
  return signals && waits;
}

// If a kernel touches more ranges, reports name for each instruction one thread that came to it,
// though perhaps with other bytes.
constexpr size_t most_exact = 4096;

// A larger graph is looked at as one command.
constexpr size_t most_steps = 4096;

}  // namespace

RaceObserver::RaceObserver() : order_(*instrument<OrderObserver>()) { order_.add(*this); }

// --- Commands ------------------------------------------------------------------------------------

Order RaceObserver::order_of(const Access& known, const Access& added) const {
  if (known.point.stream == added.point.stream)
    return known.point.position <= added.point.position ? Order::before : Order::after;
  if (order_.happens.comes_before(known.point, added.clock)) return Order::before;
  return order_.happens.comes_before(added.point, known.clock) ? Order::after : Order::unordered;
}

void RaceObserver::add(const Ref<const Access>& access, const Ref<const Allocation>& allocation,
                       const Region& region, bool writes, Launch* launch, Races& races) {
  std::vector<Conflict> conflicts;
  history_.keep_replaced(!running_.empty());
  if (launch) launch->history.keep_replaced(true);
  // Kernels that have not ended may change any bytes, except for this one; so may a host function
  // that comes before the access.
  bool steady = running_.size() <= (access->kernel ? 1 : 0) && !follows_host_call(*access, false);
  // Pageable memory is read by the call, not by the command, as far as the program can know.
  if (allocation || writes)
    history_.add(
        allocation, region, writes, access,
        [&](const Access& known) REQUIRES(order_.mutex) {
          if (known.point.sequence != access->point.sequence || known.step != access->step)
            steady = steady && order_.happens.host_knows(known.point);
          return order_of(known, *access);
        },
        conflicts);
  if (looks_at_host()) {
    if (writes) host_.written(region);
    if (allocation && access->meets_host) host_.add(access, allocation, region, writes, steady);
  }
  // Steps are compared among themselves by the graph's own edges; against everything else they
  // count as the launch.
  if (launch)
    launch->history.add(
        allocation, region, writes, access,
        [&](const Access& known) {
          return launch->order.ordered(known.step, access->step)   ? Order::before
                 : launch->order.ordered(access->step, known.step) ? Order::after
                                                                   : Order::unordered;
        },
        conflicts);
  for (Conflict& conflict : conflicts)
    races.push_back({access, writes, std::move(conflict), allocation});
}

void RaceObserver::touch(const Operation& operation, const Ref<const Access>& access,
                         Launch* launch, Races& races) {
  const device::Footprint& footprint = operation.footprint();
  if (looks_at_host() && operation.kind == OperationKind::copy) {
    // A copy of a stream reads such memory when it is submitted, before any host function.
    if (!access->in_graph || !follows_host_call(*access, false))
      host_.add_pageable(access, static_cast<const device::Copy&>(operation).pageable_source(),
                         false);
    if (!footprint.writes_in.allocation()) host_.add_pageable(access, footprint.writes, true);
  }
  if (!footprint.reads.empty())
    add(access, memory_of(footprint.reads_in, footprint.reads), footprint.reads, false, launch,
        races);
  if (!footprint.writes.empty())
    add(access, memory_of(footprint.writes_in, footprint.writes), footprint.writes, true, launch,
        races);
}

void RaceObserver::forget_kernels(const Stream& stream, uint64_t number) {
  const auto graph = kernels_of_graphs_.find({stream.id(), number});
  if (graph == kernels_of_graphs_.end()) return;
  for (const Operation* const kernel : graph->second) {
    // Another command's operation may have its address by now.
    const auto running = running_.find(kernel);
    if (running == running_.end()) continue;
    const Access& access = *running->second.access;
    if (access.point.stream == stream.id() && access.number == number) running_.erase(running);
  }
  kernels_of_graphs_.erase(graph);
}

void RaceObserver::touch_steps(const Stream& stream, const Steps& steps, const Source& launch,
                               Races& races) {
  std::shared_ptr<Launch> own;
  if (steps.count() > 1 && steps.count() <= most_steps && !semaphores_order(steps))
    own = std::make_shared<Launch>(steps);
  for (uint32_t i = 0; i < steps.count(); ++i) {
    const Operation& operation = steps.step(i);
    const device::Footprint& footprint = operation.footprint();
    const bool is_kernel = operation.kind == OperationKind::kernel;
    if (is_kernel || !footprint.writes.empty() || !footprint.reads.empty()) {
      auto access = make_ref<Access>(launch);
      access->what = device::name(operation.kind);
      access->step = i;
      access->in_graph = true;
      access->begins_life = operation.kind == OperationKind::allocate;
      access->ends_life = operation.kind == OperationKind::free;
      access->meets_host = meets_host(operation);
      if (is_kernel)
        begin_kernel(stream, operation, {access, own});
      else
        touch(operation, access, own.get(), races);
    }
    note_told(operation, launch);
    // A wait for such an event covers everything before it in the graph.
    if (looks_at_host() && operation.kind == OperationKind::event_record) host_.told_by(launch);
    for (const Steps* body : steps.bodies(i)) touch_steps(stream, *body, launch, races);
  }
}

void RaceObserver::order_submitted(const Stream& stream, uint64_t number,
                                   const Operation& operation, const Point& point) {
  const Steps* const steps = operation.steps();
  const device::Footprint& footprint = operation.footprint();
  const bool is_kernel = operation.kind == OperationKind::kernel;
  if (looks_at_host() && operation.calls_host())
    host_calls_.insert_or_assign(&operation, HostCall{point, false});
  if (!steps && !is_kernel && footprint.writes.empty() && footprint.reads.empty() &&
      !(looks_at_host() && tells_others(operation)))
    return;
  const auto access =
      access_of(stream, point, device::name(operation.kind), number, operation.call_site);
  access->begins_life = operation.kind == OperationKind::allocate;
  access->ends_life = operation.kind == OperationKind::free;
  access->clock = order_.happens.clock(stream.id());
  // Such words are there to be waited for.
  access->atomic =
      operation.kind == OperationKind::value_wait || operation.kind == OperationKind::value_write;
  access->meets_host = meets_host(operation);
  note_told(operation, *access);
  if (steps) {
    touch_steps(stream, *steps, *access, found_);
  } else if (is_kernel) {
    begin_kernel(stream, operation, {access, nullptr});
  } else {
    touch(operation, access, nullptr, found_);
  }
  host_.settle();
}

void RaceObserver::report_found() {
  Races races;
  {
    MutexLock lock(order_.mutex);
    races.swap(found_);
  }
  report(std::move(races));
  report_host_races();
}

void RaceObserver::kernel_watched(const Stream& stream, uint64_t number, const Operation& operation,
                                  const device::KernelCall& call, const watch::KernelWatch& watch) {
  if (!checks(Check::races)) return;
  const LaunchedKernel kernel{stream, number, operation, call};
  report_thread_races(kernel, watch.races());
  report_read_only(kernel, watch.read_only_mistakes());
}

void RaceObserver::kernel_touched(const Stream& stream, uint64_t number, const Operation& operation,
                                  const device::KernelCall& call,
                                  const watch::Footprint& footprint) {
  const LaunchedKernel kernel{stream, number, operation, call};
  Races races;
  {
    MutexLock lock(order_.mutex);
    look_at_host();
    const auto running = running_.find(&operation);
    if (running == running_.end()) return;  // submitted before the observer was attached
    const Access& own = *running->second.access;
    Launch* const launch = running->second.launch.get();
    const auto& memory = device::Machine::get().memory();
    const std::vector<watch::Touched>& all = footprint.touched();
    const bool tells_host = looks_at_host() && touches_flags(all);
    // The change may be its work.
    std::erase_if(undecided_, [&](const HostRace& race) {
      return !race.place && std::ranges::any_of(all, [&](const watch::Touched& touched) {
        return touched.writes && memory.find(touched.begin).get() == race.allocation.get();
      });
    });
    if (tells_host) {
      host_.told_by(own);
      undecided_.clear();
    }
    std::map<std::tuple<uint64_t, bool, bool>, Ref<Access>> shared;
    Ref<Access> access;
    Ref<Allocation> allocation;
    const watch::Touched* last = nullptr;
    for (const watch::Touched& touched : all) {
      const bool exact =
          all.size() <= most_exact && touched.by.thread != watch::Accessor::some_thread;
      if (exact || !last || !last->is_like(touched)) {
        Ref<Access> fresh;
        Ref<Access>& known =
            exact ? fresh : shared[{touched.by.place.location, touched.writes, touched.atomic}];
        if (!known) {
          known = access_by(own, kernel, touched.by);
          known->atomic = touched.atomic;
          known->meets_host = !tells_host;
        }
        access = known;
      }
      last = &touched;
      // Memory that is in no allocation is the kernel's own: its heap's, or its parameters.
      for (uint64_t at = touched.begin; at < touched.end;) {
        if (!allocation || !allocation->contains(at, 1)) allocation = memory.find_touched(at);
        if (!allocation) break;
        const uint64_t end = std::min(touched.end, allocation->end());
        add(access, allocation, Region::linear(at, end - at), touched.writes, launch, races);
        at = end;
      }
    }
    host_.settle();
    for (Race& race : races) {
      const watch::Accessor exact = footprint.toucher(race.conflict.address);
      if (exact.place.access != 0) race.later = access_by(own, kernel, exact);
    }
  }
  report(std::move(races));
}

void RaceObserver::order_started(const Operation& operation) {
  if (const auto call = host_calls_.find(&operation); call != host_calls_.end())
    call->second.started = true;
}

void RaceObserver::completed(const Stream& stream, uint64_t number, const Operation& operation) {
  const bool is_kernel = operation.kind == OperationKind::kernel;
  const bool is_graph = operation.kind == OperationKind::graph;
  if (!is_kernel && !is_graph && !(looks_at_host() && operation.calls_host())) return;
  {
    MutexLock lock(order_.mutex);
    look_at_host();
    if (is_graph)
      forget_kernels(stream, number);
    else if (is_kernel)
      running_.erase(&operation);
    else
      host_calls_.erase(&operation);
  }
  report_host_races();
}

// --- Graphics ------------------------------------------------------------------------------------

RaceObserver::Races RaceObserver::hand_over(const Stream& stream, const Allocation& memory,
                                            const char* what, const void* call_site) {
  const Point point = order_.happens.between(stream);
  const auto access = access_of(stream, point, what, point.position / 2, call_site);
  access->hands_over = true;
  access->clock = order_.happens.clock(stream.id());
  const Ref<const Allocation> allocation(&memory);
  std::vector<Conflict> conflicts;
  history_.add(
      allocation, Region::linear(memory.address, memory.size), true, access,
      [&](const Access& known) REQUIRES(order_.mutex) { return order_of(known, *access); },
      conflicts);
  Races races;
  for (Conflict& conflict : conflicts)
    races.push_back({access, true, std::move(conflict), allocation});
  return races;
}

void RaceObserver::lent(const Stream& stream, const Allocation& memory, const void* call_site) {
  MutexLock lock(order_.mutex);
  history_.forget(memory);  // the graphics API has waited for CUDA's earlier work
  static_cast<void>(hand_over(stream, memory, "mapping", call_site));
}

void RaceObserver::given_back(const Stream& stream, const Allocation& memory,
                              const void* call_site) {
  Races races;
  {
    MutexLock lock(order_.mutex);
    races = hand_over(stream, memory, "unmapping", call_site);
    // Kernels of other streams that are still running are compared with it when they end.
    if (running_.empty()) history_.forget(memory);
  }
  report(std::move(races));
}

}  // namespace cuvette::check
