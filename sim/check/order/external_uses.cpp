// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/external_uses.hpp"

#include "sim/callsite/symbol.hpp"
#include "sim/check/kernel/footprint.hpp"
#include "sim/check/order/all_operations.hpp"
#include "sim/check/order/memory_use.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::check {

using device::Operation;
using memory::Allocation;

ExternalUses* ExternalUses::get() { return instrument<ExternalUses>(); }

void ExternalUses::destroyed(const os::Segment& segment) {
  const void* const place = device::Thread::current().call_site;
  const auto all = device::Machine::get().memory().all();
  MutexLock lock(mutex_);
  for (const Ref<Allocation>& one : all)
    if (one->is_external() && one->segment.get() == &segment)
      destroyed_.emplace(one->buffer_id, place);
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
  {
    MutexLock lock(mutex_);
    if (destroyed_.empty()) return;
  }
  visit_all(operation, [&](const Operation& one) {
    if (one.steps()) return;
    const device::Footprint& footprint = one.footprint();
    look({stream, number, one}, memory_of(footprint.reads_in, footprint.reads));
    look({stream, number, one}, memory_of(footprint.writes_in, footprint.writes));
  });
}

void ExternalUses::kernel_touched(const device::Stream& stream, uint64_t number,
                                  const Operation& operation, const device::KernelCall&,
                                  const watch::Footprint& footprint) {
  {
    MutexLock lock(mutex_);
    if (destroyed_.empty()) return;
  }
  const auto& memory = device::Machine::get().memory();
  for (const watch::Touched& touched : footprint.touched())
    look({stream, number, operation}, memory.find_touched(touched.begin));
}

void ExternalUses::freed(const Allocation& memory) {
  MutexLock lock(mutex_);
  destroyed_.erase(memory.buffer_id);
}

}  // namespace cuvette::check
