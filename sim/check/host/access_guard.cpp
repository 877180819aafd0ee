// SPDX-License-Identifier: Apache-2.0
#include "sim/check/host/access_guard.hpp"

#include "sim/base/config.hpp"
#include "sim/base/run_notes.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/run_note.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/os/device_access.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {

using device::Machine;
using memory::AllocationKind;
using os::FaultAction;
using os::FaultKind;
using os::MemoryFault;

namespace {

// Set while the hook runs, so that its own fault does not come back to it. Initial-exec,
// because the first use of another kind of thread-local may allocate.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool in_hook = false;

bool warns() { return config().host_access == HostAccess::warn; }

std::string sentence(const MemoryFault& fault, const Located& located) {
  const std::string who =
      std::string("A host thread ") + (fault.write ? "writes to " : "reads from ");
  const std::string where = " at " + hexadecimal(fault.address);
  switch (located.how) {
    case Located::How::living:
      if (fault.kind == FaultKind::lost)
        return who + "external memory" + where + ", whose pages its exporter has removed.";
      return who + name(located.allocation->kind) + where + ", which only devices may access.";
    case Located::How::freed:
      return who + name(located.allocation->kind) + where + ", which was freed.";
    case Located::How::nowhere:
      return who + "a device address, " + hexadecimal(fault.address) +
             ", where nothing is allocated.";
  }
  return who;
}

// The advice for device memory that lives is that of the table.
std::string advice_of(const MemoryFault& fault, const Located& located) {
  switch (located.how) {
    case Located::How::living:
      if (fault.kind == FaultKind::lost) return kind(ReportId::lost_memory).advice;
      if (located.allocation->kind == memory::AllocationKind::variable)
        return "Copy the variable with cudaMemcpyFromSymbol or cudaMemcpyToSymbol, or cuMemcpyDtoH "
               "and cuMemcpyHtoD, or declare it __managed__.";
      if (located.allocation->is_external())
        return "Copy the data with cuMemcpyDtoH or cuMemcpyHtoD, or map the exporter's descriptor "
               "with mmap before it is imported: the host has an address of its own then.";
      return "";
    case Located::How::freed:
      return "Copy what the host needs before the memory is freed, with cuMemcpyDtoH, and forget "
             "the pointer then.";
    case Located::How::nowhere:
      break;
  }
  return "Look where the pointer is computed: it is an address of a device, which a host thread "
         "may never dereference, and nothing is allocated there.";
}

}  // namespace

Report host_access(const MemoryFault& fault, const memory::AddressSpace& memory) {
  const Located located = locate(memory, fault.address);
  Report report{ReportId::host_access, sentence(fault, located), {}, advice_of(fault, located)};
  report.facts.push_back({"address", hexadecimal(fault.address)});
  report.facts.push_back({"access", fault.write ? "write" : "read"});
  report.facts.push_back({"instruction", callsite::describe(fault.instruction)});
  add_facts(report.facts, located, fault.address);
  return report;
}

// Runs in a signal handler, and yet locks, allocates and asks the loader for names. This signal
// cannot arrive just anywhere: an instruction of the host program raised it by touching a device
// address. Our own code never does that while it holds a lock of ours, and neither do the allocator
// and the loader while they hold theirs, so this thread holds none of the locks that are taken
// here. The exception is a program that dereferences device memory in its handler of an
// asynchronous signal, which did interrupt such code: it may hang where it would have crashed.
FaultAction on_host_fault(const MemoryFault& fault) {
  // A command's faults belong to its FaultScope. In a forked child the locks may never be released.
  const Machine::State state = Machine::state();
  if (fault.in_command || in_hook || state == Machine::State::not_started ||
      state == Machine::State::forked) {
    return FaultAction::chain;
  }
  in_hook = true;
  if (reporter().admit(ReportId::host_access, fault.instruction))
    reporter().write(host_access(fault, Machine::get().memory()));
  in_hook = false;
  return fault.kind == FaultKind::denied && warns() ? FaultAction::allow : FaultAction::chain;
}

bool guards_host_access() { return os::has_device_key() || os::has_device_gate(); }

void say_if_unguarded() {
  if (guards_host_access() || config().host_access == HostAccess::allow) return;
  if (!is_first_to_note(run_notes::unguarded)) return;
  os::write_to_stderr(
      "cuvette: this machine has no protection keys (or none is left): host threads that "
      "dereference device memory are not caught without CUVETTE_CHECK=host.\n");
}

}  // namespace cuvette::check
