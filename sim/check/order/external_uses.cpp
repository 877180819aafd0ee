// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/external_uses.hpp"

#include <string>

#include "sim/callsite/symbol.hpp"
#include "sim/check/kernel/footprint.hpp"
#include "sim/check/order/all_operations.hpp"
#include "sim/check/order/memory_use.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/os/range_mark.hpp"

namespace cuvette::check {

using device::Operation;
using memory::Allocation;

namespace {

bool is_of_another_process(const Allocation& memory) {
  return memory.kind == memory::AllocationKind::shared ||
         memory.kind == memory::AllocationKind::imported;
}

// Whether its exporter has it still.
bool is_marked(const Allocation& memory) {
  return os::has_range_mark(memory.segment->fd(), memory.offset, memory.size);
}

// Calls `visit(operation, memory)` for what the operation and its steps read and write.
template <typename Visit>
void visit_memory(const Operation& operation, const Visit& visit) {
  visit_all(operation, [&](const Operation& one) {
    if (one.steps()) return;
    const device::Footprint& footprint = one.footprint();
    visit(one, memory_of(footprint.reads_in, footprint.reads));
    visit(one, memory_of(footprint.writes_in, footprint.writes));
  });
}

}  // namespace

ExternalUses* ExternalUses::get() { return instrument<ExternalUses>(); }

void ExternalUses::destroyed(const os::Segment& segment) {
  const void* const place = device::Thread::current().call_site;
  const auto all = device::Machine::get().memory().all();
  MutexLock lock(mutex_);
  for (const Ref<Allocation>& one : all)
    if (one->is_external() && one->segment.get() == &segment)
      destroyed_.emplace(one->buffer_id, place);
}

void ExternalUses::opened(memory::DevicePtr address) {
  const Ref<Allocation> memory = device::Machine::get().memory().find(address);
  if (!memory || !is_marked(*memory)) return;
  MutexLock lock(mutex_);
  opened_.insert(memory->buffer_id);
}

bool ExternalUses::any_destroyed() {
  MutexLock lock(mutex_);
  return !destroyed_.empty();
}

bool ExternalUses::any_opened() {
  MutexLock lock(mutex_);
  return !opened_.empty();
}

void ExternalUses::look_for_mark(const MemoryUser& user, const Ref<const Allocation>& memory) {
  if (!memory || !is_of_another_process(*memory)) return;
  {
    MutexLock lock(mutex_);
    if (!opened_.contains(memory->buffer_id)) return;
  }
  if (is_marked(*memory)) return;
  if (!reporter().admit(ReportId::external_after_destroy, user.operation.call_site)) return;
  const bool of_pool = memory->kind == memory::AllocationKind::imported;
  Report report =
      report_of_use(ReportId::external_after_destroy, user, *memory, memory->address,
                    std::string("which the process that exported it has freed: it may no longer be "
                                "used, only ") +
                        (of_pool ? "freed." : "closed."));
  report.advice =
      std::string("Let the exporting process free the memory only after the others have called ") +
      (of_pool ? "cuMemFree or cuMemFreeAsync" : "cuIpcCloseMemHandle") + ".";
  add_facts(report.facts, *memory, memory->address);
  reporter().write(report);
}

void ExternalUses::look(const MemoryUser& user, const Ref<const Allocation>& memory) {
  if (!memory || !memory->is_external()) return;
  const void* destroyed_at = nullptr;
  {
    MutexLock lock(mutex_);
    const auto found = destroyed_.find(memory->buffer_id);
    if (found == destroyed_.end()) return;
    destroyed_at = found->second;
  }
  if (!reporter().admit(ReportId::external_after_destroy, user.operation.call_site)) return;
  Report report =
      report_of_use(ReportId::external_after_destroy, user, *memory, memory->address,
                    "whose object was destroyed: its mappings may no longer be used, only freed.");
  report.facts.push_back({"destroyed at", callsite::describe_call(destroyed_at)});
  add_facts(report.facts, *memory, memory->address);
  reporter().write(report);
}

void ExternalUses::submitted(const device::Stream& stream, uint64_t number,
                             const Operation& operation) {
  if (!any_destroyed()) return;
  visit_memory(operation, [&](const Operation& one, const Ref<const Allocation>& memory) {
    look({stream, number, one}, memory);
  });
}

void ExternalUses::started(const device::Stream& stream, uint64_t number,
                           const Operation& operation) {
  if (!any_opened()) return;
  visit_memory(operation, [&](const Operation& one, const Ref<const Allocation>& memory) {
    look_for_mark({stream, number, one}, memory);
  });
}

void ExternalUses::kernel_touched(const device::Stream& stream, uint64_t number,
                                  const Operation& operation, const device::KernelCall&,
                                  const watch::Footprint& footprint) {
  if (!any_destroyed() && !any_opened()) return;
  const auto& memory = device::Machine::get().memory();
  Ref<const Allocation> last;
  for (const watch::Touched& touched : footprint.touched()) {
    if (last && last->contains(touched.begin, 1)) continue;
    last = memory.find_touched(touched.begin);
    look({stream, number, operation}, last);
    look_for_mark({stream, number, operation}, last);
  }
}

void ExternalUses::freed(const Allocation& memory) {
  MutexLock lock(mutex_);
  destroyed_.erase(memory.buffer_id);
  opened_.erase(memory.buffer_id);
}

}  // namespace cuvette::check
