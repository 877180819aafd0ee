// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/faults.hpp"

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::check {

using memory::AllocationKind;
using os::FaultKind;

namespace {

std::string sentence(ReportId id, const os::MemoryFault& fault, const std::string& command,
                     const Located& located) {
  const std::string start = "A " + command + (fault.write ? " writes to " : " reads from ");
  const std::string address = hexadecimal(fault.address);
  if (id == ReportId::lost_memory)
    return start + "external memory at " + address + ", whose pages its exporter has removed.";
  switch (located.how) {
    case Located::How::living:
      if (fault.kind == FaultKind::lost)
        return start + name(located.allocation->kind) + " at " + address +
               ", for which the machine has no page left.";
      return start + name(located.allocation->kind) + " at " + address + ", which is not mapped.";
    case Located::How::freed:
      return start + name(located.allocation->kind) + " at " + address + ", which was freed.";
    case Located::How::nowhere:
      break;
  }
  return start + address + ", where nothing is allocated.";
}

}  // namespace

Report command_fault(const os::MemoryFault& fault, const FaultedCommand& command,
                     const memory::AddressSpace& memory) {
  const Located located = locate(memory, fault.address);
  const bool lost =
      fault.kind == FaultKind::lost && located.how == Located::How::living &&
      (located.allocation->is_external() || located.allocation->kind == AllocationKind::imported);
  const ReportId id = lost ? ReportId::lost_memory : ReportId::illegal_address;
  Report report{id, sentence(id, fault, command.what, located), {}};
  report.facts.push_back({"address", hexadecimal(fault.address)});
  report.facts.push_back({"access", fault.write ? "write" : "read"});
  report.facts.push_back({"command", command.what});
  report.facts.push_back({"number", command.number});
  report.address = fault.address;
  report.size = 1;
  report.facts.push_back({"stream", command.stream});
  report.facts.push_back({"submitted at", callsite::describe_call(command.call_site)});
  add_facts(report.facts, located, fault.address);
  if (!lost)
    report.advice = fault.kind == FaultKind::lost
                        ? "Make room where shared memory lies (/dev/shm, or the limit of the "
                          "container), or let the program allocate less: CUVETTE_MEMORY limits "
                          "what it can have."
                        : advice_of(located, fault.address, 1, memory);
  if (lost) {
    const os::Segment& segment = *located.allocation->segment;
    report.facts.push_back({"offset in the segment", located.allocation->offset + fault.address -
                                                         located.allocation->address});
    report.facts.push_back({"segment's size at import", uint64_t{segment.size()}});
    report.facts.push_back({"segment's size now", uint64_t{segment.current_size()}});
  }
  return report;
}

void FaultObserver::faulted(const device::Stream& stream, uint64_t number,
                            const device::Operation& operation, const os::MemoryFault& fault) {
  const memory::AddressSpace& memory = device::Machine::get().memory();
  Report report = command_fault(
      fault, {stream_as_fact(stream), number, device::describe(operation), operation.call_site},
      memory);
  report.commands = {{stream.id(), number}};
  if (reporter().admit(report.id, operation.call_site)) reporter().write(report);
}

void FaultObserver::context_ending(const device::Context& context) {
  const void* const place = device::Thread::current().call_site;
  for (const Ref<memory::Allocation>& memory : device::Machine::get().memory().all()) {
    if (memory->owner != context.generation()) continue;
    memory->freed_at.store(place, std::memory_order_relaxed);
    memory->ended_with_context.store(true, std::memory_order_relaxed);
  }
}

}  // namespace cuvette::check
