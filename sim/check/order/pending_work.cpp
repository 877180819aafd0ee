// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/pending_work.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "sim/callsite/symbol.hpp"
#include "sim/check/kernel/footprint.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/order/all_operations.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::check {

using device::Context;
using device::Operation;
using device::OperationKind;
using device::Stream;
using memory::Allocation;
using memory::AllocationKind;

namespace {

// Returns whether the program should wait for the command's end or error.
bool is_work(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::copy:
    case OperationKind::fill:
    case OperationKind::host_function:
    case OperationKind::callback:
    case OperationKind::graph:
    case OperationKind::kernel:
    case OperationKind::value_write:
    case OperationKind::value_batch:
    case OperationKind::semaphore_signal:
      return true;
    default:
      return false;
  }
}

// Whether it is a copy from pageable memory. The bytes are taken by the call, so programs take it
// for done.
bool copies_pageable(const Operation& operation) {
  const device::Footprint& footprint = operation.footprint();
  return operation.kind == OperationKind::copy && !footprint.reads.empty() &&
         !footprint.reads_in.allocation();
}

// Whether ending such memory waits for all work of the current context.
bool end_waits(AllocationKind kind) {
  return kind == AllocationKind::device || kind == AllocationKind::external ||
         kind == AllocationKind::managed || kind == AllocationKind::pinned ||
         kind == AllocationKind::array || kind == AllocationKind::external_array;
}

}  // namespace

PendingWork::PendingWork() : order_(*instrument<OrderObserver>()) { order_.add(*this); }

std::string PendingWork::Command::describe() const {
  return what + (kernel.empty() ? "" : " " + callsite::readable_name(kernel.c_str()));
}

void PendingWork::add_facts(std::vector<Fact>& facts, const Command& command) {
  facts.push_back({"command", command.describe()});
  facts.push_back({"number", command.number});
  facts.push_back({"stream", stream_as_fact(command.stream)});
  facts.push_back({"submitted at", callsite::describe_call(command.call_site)});
}

void PendingWork::use(uint64_t buffer_id, const Command& command) {
  users_[buffer_id].insert_or_assign(command.point.stream, command);
}

void PendingWork::use(const Operation& operation, const Command& command) {
  const std::function<void(const Operation&)> use_one =
      [&](const Operation& one) REQUIRES(order_.mutex) {
        if (one.steps()) return;
        if (one.kind == OperationKind::kernel) kernels_.insert_or_assign(&one, command);
        const device::Footprint& footprint = one.footprint();
        const auto note = [&](const memory::Use& in, const memory::Region& region)
                              REQUIRES(order_.mutex) {
                                if (region.empty()) return;
                                const Ref<const Allocation> memory = memory_of(in, region);
                                if (memory && !end_waits(memory->kind))
                                  use(memory->buffer_id, command);
                              };
        note(footprint.reads_in, footprint.reads);
        note(footprint.writes_in, footprint.writes);
      };
  visit_all(operation, use_one);
}

bool PendingWork::is_pending(const Command& command) const {
  return !order_.happens.host_knows(command.point) &&
         !order_.happens.comes_before(command.point, waited_by_frees_);
}

const PendingWork::Command* PendingWork::pending(const ByStream& commands) const {
  for (const auto& [stream, command] : commands)
    if (is_pending(command)) return &command;
  return nullptr;
}

void PendingWork::order_submitted(const Stream& stream, uint64_t number, const Operation& operation,
                                  const Point& point) {
  if (operation.kind == OperationKind::free)
    std::erase_if(pool_frees_, [&](const PoolFree& one) {
      return !one.decided && one.thread == std::this_thread::get_id() &&
             one.memory->address == operation.footprint().writes.address;
    });
  decide_frees();
  if (!is_work(operation)) return;
  const Command command{point,
                        stream,
                        device::name(operation.kind),
                        std::string(device::kernel_name(operation)),
                        number,
                        operation.call_site};
  if (!copies_pageable(operation))
    contexts_[stream.context().generation()].insert_or_assign(stream.id(), command);
  use(operation, command);
}

void PendingWork::kernel_touched(const Stream&, uint64_t, const Operation& operation,
                                 const device::KernelCall&, const watch::Footprint& footprint) {
  const auto& memory = device::Machine::get().memory();
  MutexLock lock(order_.mutex);
  const auto kernel = kernels_.find(&operation);
  if (kernel == kernels_.end()) return;  // submitted before the observer was attached
  for (const watch::Touched& touched : footprint.touched()) {
    for (uint64_t at = touched.begin; at < touched.end;) {
      const Ref<Allocation> allocation = memory.find(at);
      if (!allocation) break;
      if (!end_waits(allocation->kind)) use(allocation->buffer_id, kernel->second);
      at = allocation->end();
    }
  }
  for (PoolFree& free : pool_frees_) {
    if (std::erase(free.kernels, &operation) == 0 || free.user) continue;
    const bool used = std::ranges::any_of(footprint.touched(), [&](const watch::Touched& touched) {
      return touched.begin < free.memory->end() && free.memory->address < touched.end;
    });
    if (used) free.user = kernel->second;
  }
}

void PendingWork::completed(const Stream& stream, uint64_t number, const Operation& operation) {
  const bool is_graph = operation.kind == OperationKind::graph;
  if (operation.kind != OperationKind::kernel && !is_graph) return;
  {
    MutexLock lock(order_.mutex);
    if (is_graph)  // its kernels have ended, or were left out
      std::erase_if(kernels_, [&](const auto& entry) REQUIRES(order_.mutex) {
        const Command& command = entry.second;
        const bool is_its = command.point.stream == stream.id() && command.number == number;
        if (is_its) kernel_ended(*entry.first);
        return is_its;
      });
    else if (kernels_.erase(&operation) != 0)
      kernel_ended(operation);
  }
  report_found();
}

void PendingWork::kernel_ended(const Operation& kernel) {
  for (PoolFree& free : pool_frees_) std::erase(free.kernels, &kernel);
}

// --- What ends -----------------------------------------------------------------------------------

void PendingWork::freed(const Allocation& memory) {
  std::optional<Command> found;
  {
    MutexLock lock(order_.mutex);
    const auto users = users_.find(memory.buffer_id);
    if (users != users_.end()) {
      if (memory.kind == AllocationKind::registered || memory.kind == AllocationKind::mapping)
        if (const Command* const command = pending(users->second)) found = *command;
      if (memory.kind != AllocationKind::pool) users_.erase(users);
    }
    if (memory.kind == AllocationKind::pool) note_pool_free(memory);
    if (const Context* const context = device::Thread::current().context();
        context && end_waits(memory.kind))
      waited_by_frees_.join(order_.happens.all_of(*context));
  }
  if (found) report(memory, memory.freed_at.load(std::memory_order_relaxed), *found);
}

void PendingWork::note_pool_free(const Allocation& memory) {
  PoolFree free{Ref<const Allocation>(&memory),
                memory.freed_at.load(std::memory_order_relaxed),
                std::this_thread::get_id(),
                false,
                {},
                {}};
  if (const auto users = users_.find(memory.buffer_id); users != users_.end()) {
    if (const Command* const command = pending(users->second)) free.user = *command;
    users_.erase(users);
  }
  for (const auto& [kernel, command] : kernels_)
    if (is_pending(command)) free.kernels.push_back(kernel);
  if (free.user || !free.kernels.empty()) pool_frees_.push_back(std::move(free));
}

void PendingWork::decide_frees() {
  for (PoolFree& free : pool_frees_)
    if (free.thread == std::this_thread::get_id()) free.decided = true;
}

void PendingWork::report_found() {
  std::vector<PoolFree> found;
  {
    MutexLock lock(order_.mutex);
    std::erase_if(pool_frees_, [&](PoolFree& free) {
      if (!free.decided) return false;
      const bool reported = free.user.has_value();
      const bool over = reported || free.kernels.empty();
      if (reported) found.push_back(std::move(free));
      return over;
    });
  }
  for (const PoolFree& free : found) report(*free.memory, free.place, *free.user);
}

void PendingWork::process_ends(int) {
  {
    MutexLock lock(order_.mutex);
    for (PoolFree& free : pool_frees_) free.decided = true;
  }
  report_found();
}

void PendingWork::report(const Allocation& memory, const void* place, const Command& user) {
  if (!reporter().admit(ReportId::freed_in_use, place)) return;
  struct Words {
    const char *memory, *ends, *where;
  };
  const Words words =
      memory.kind == AllocationKind::registered
          ? Words{"Registered host memory at ", " is unregistered", "unregistered at"}
      : memory.kind == AllocationKind::pool
          ? Words{"Memory of a pool at ", " is freed by a call that waits for nothing", "freed at"}
          : Words{"Mapped memory at ", " is unmapped", "unmapped at"};
  Report report{ReportId::freed_in_use,
                words.memory + hexadecimal(memory.address) + words.ends +
                    ", but the program does not know that " + with_article(user.describe()) +
                    " in " + stream_in_words(user.stream) +
                    " that uses it has completed: the host has not synchronised with it or with "
                    "any later command.",
                {}};
  const std::string wait = "synchronise with " + stream_in_words(user.stream) +
                           " (cuStreamSynchronize), or with an event that is recorded there after "
                           "command " +
                           std::to_string(user.number) + ", before ";
  report.advice = memory.kind == AllocationKind::pool
                      ? "Free it with cuMemFreeAsync in " + stream_in_words(user.stream) + ", or " +
                            wait + "cuMemFree."
                      : with_capital(wait) + freed_with(memory.kind) + ".";
  report.facts.push_back({"address", hexadecimal(memory.address)});
  report.facts.push_back({words.where, callsite::describe_call(place)});
  report.commands = {{user.point.stream, user.number}};
  report.address = memory.address;
  report.size = memory.size;
  add_facts(report.facts, user);
  check::add_facts(report.facts, memory, memory.address);
  reporter().write(report);
}

void PendingWork::context_ending(const Context& context) {
  std::optional<Command> found;
  {
    MutexLock lock(order_.mutex);
    const auto commands = contexts_.find(context.generation());
    if (commands == contexts_.end()) return;
    if (const Command* const command = pending(commands->second)) found = *command;
    contexts_.erase(commands);
  }
  const void* const place = device::Thread::current().call_site;
  if (!found || !reporter().admit(ReportId::context_busy, place)) return;
  Report report{ReportId::context_busy,
                "The context ends, but the program does not know that " +
                    with_article(found->describe()) + " in " + stream_in_words(found->stream) +
                    " has completed: the host has not synchronised with it or with any later "
                    "command. If it fails, the error goes unnoticed.",
                {}};
  report.facts.push_back({"ended at", callsite::describe_call(place)});
  report.commands = {{found->point.stream, found->number}};
  add_facts(report.facts, *found);
  reporter().write(report);
}

}  // namespace cuvette::check
