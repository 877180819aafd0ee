// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/kernel_faults.hpp"

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/order/kernel_races.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/source_line.hpp"
#include "sim/check/report/variable_part.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::check {

using exec::GridFault;
using GridFaultKind = GridFault::Kind;

namespace {

ReportId id_of(GridFaultKind kind) {
  switch (kind) {
    case GridFaultKind::illegal_address:
    case GridFaultKind::lost_page:
    case GridFaultKind::no_function:
      return ReportId::illegal_address;
    case GridFaultKind::misaligned:
      return ReportId::misaligned_address;
    case GridFaultKind::trap:
    case GridFaultKind::breakpoint:
      return ReportId::kernel_trap;
    case GridFaultKind::assertion:
      return ReportId::kernel_assertion;
    case GridFaultKind::stuck:
      return ReportId::barrier_stuck;
    case GridFaultKind::not_supported:
      break;
  }
  return ReportId::kernel_not_supported;
}

const char* space_of(uint32_t access) {
  if (access & ptx::access_shared) return "shared memory";
  if (access & ptx::access_local) return "local memory";
  if (access & ptx::access_constant) return "constant memory";
  return nullptr;
}

// Returns "writes 4 bytes to " and the like.
std::string action(uint32_t access) {
  const uint32_t count = ptx::access_bytes(access);
  const std::string bytes = std::to_string(count) + (count == 1 ? " byte " : " bytes ");
  if (access & ptx::access_atomic) return "changes " + bytes + "at ";
  return access & ptx::access_write ? "writes " + bytes + "to " : "reads " + bytes + "from ";
}

// Returns the variable that the access meets, or that it names and leaves.
std::optional<VariablePart> named_part(const GridFault& fault, const FaultedKernel& kernel,
                                       const Located& located) {
  const uint32_t bytes = ptx::access_bytes(fault.access);
  if (!fault.variable.empty())
    return part_of(fault.variable, fault.offset, fault.variable_bytes, 1, bytes);
  if (fault.access & ptx::access_shared)
    return kernel.code ? shared_part(*kernel.code, kernel.shape, fault.address, bytes)
                       : std::nullopt;
  return global_part(located.allocation.get(), fault.address, bytes);
}

// Says what is wrong with the address.
std::string place(const GridFault& fault, const FaultedKernel& kernel, const Located& located) {
  const std::string address = hexadecimal(fault.address);
  const auto part = named_part(fault, kernel, located);
  if (fault.kind == GridFaultKind::misaligned)
    return (part ? part->words + " at " : "") + address + ", which is not a multiple of " +
           std::to_string(ptx::access_bytes(fault.access));
  if (!fault.variable.empty())
    return (fault.access & ptx::access_shared ? part->words + ", " : "") + "byte " +
           std::to_string(fault.offset) + " of the variable " + part->name + " in " +
           space_of(fault.access) + ", which has " + std::to_string(fault.variable_bytes) +
           " bytes";
  if (const char* space = space_of(fault.access))
    return std::string(space) + " at " + address + ", where the block has none";
  if (kernel.heap) return place(*kernel.heap);
  switch (located.how) {
    case Located::How::living: {
      const memory::Allocation& allocation = *located.allocation;
      if (allocation.is_absent())
        return std::string(name(allocation)) + " at " + address + ", " +
               why_absent(allocation.freed_at.load(std::memory_order_relaxed) != nullptr);
      if (allocation.end() - fault.address < ptx::access_bytes(fault.access))
        return address + ", past the end of " + name(allocation.kind);
      return std::string(name(allocation.kind)) + " at " + address +
             ", which the kernel's context has no right to access in this way";
    }
    case Located::How::freed:
      return std::string(name(located.allocation->kind)) + " at " + address + ", which was freed";
    case Located::How::nowhere:
      break;
  }
  return address + ", where there is no memory that a device can access";
}

std::string sentence(const GridFault& fault, const FaultedKernel& faulted,
                     const std::string& kernel, const Located& located) {
  const std::string thread = "A thread of the kernel " + kernel;
  switch (fault.kind) {
    case GridFaultKind::illegal_address:
    case GridFaultKind::lost_page:
      if (!fault.text.empty()) return thread + " is stopped: " + fault.text + ".";
      [[fallthrough]];
    case GridFaultKind::misaligned:
      return thread + " " + action(fault.access) + place(fault, faulted, located) + ".";
    case GridFaultKind::no_function:
      return thread + " calls a function at " + hexadecimal(fault.address) +
             ", where there is none.";
    case GridFaultKind::trap:
      return thread + " executes a trap instruction.";
    case GridFaultKind::breakpoint:
      return thread + " reaches a breakpoint, and there is no debugger.";
    case GridFaultKind::assertion:
      return thread + " fails an assertion: " + fault.text + ".";
    case GridFaultKind::stuck:
      return "All threads of a block of the kernel " + kernel +
             " wait at barriers that no other thread will reach.";
    case GridFaultKind::not_supported:
      break;
  }
  return "The kernel " + kernel + " uses a feature that is not implemented: " + fault.text + ".";
}

// Says what makes an address a multiple of what the access needs.
std::string advice_of_misaligned(const GridFault& fault, const Located& located) {
  const uint32_t bytes = ptx::access_bytes(fault.access);
  const std::string multiple = "a multiple of " + std::to_string(bytes);
  if (fault.access & (ptx::access_shared | ptx::access_local))
    return "Declare the array with __align__(" + std::to_string(bytes) +
           "), or with elements of that size, and let each part of it that the kernel uses as "
           "another type begin at " +
           multiple + ".";
  if (!located.allocation || located.how == Located::How::nowhere) return "";
  const uint64_t offset = fault.address - located.allocation->address;
  if (offset % bytes == 0) return "";
  return "Look at the offset, or at the cast: the access is " + std::to_string(offset) +
         " bytes after the start of the allocation, and must be at " + multiple +
         "; copy bytes to a variable of the type where they lie elsewhere.";
}

// Gives advice where it does not depend on an allocation: spaces other than global memory live as
// long as the kernel, so an access beyond them is a wrong index.
const char* advice_of(const GridFault& fault) {
  if (fault.kind == GridFaultKind::breakpoint)
    return "Take out __brkpt() and the brkpt instruction: where no debugger is attached, a GPU "
           "stops the kernel there, too.";
  if (fault.kind == GridFaultKind::no_function)
    return "Look at where the function pointer comes from: one that the host took, or that was "
           "never set, is no address of a device function.";
  if (fault.kind != GridFaultKind::illegal_address) return "";
  if (!fault.variable.empty())
    return "Look at the index: it is past the end of the variable, where the next variable begins.";
  if (fault.access & ptx::access_shared)
    return "Look at the index: shared memory ends with the kernel's __shared__ variables and the "
           "dynamic bytes that the launch asked for (sharedMemBytes). CUVETTE_MEMCHECK=1 finds the "
           "first byte that is too far.";
  if (fault.access & ptx::access_local)
    return "Look at the index of the array on the thread's stack; functions that call themselves "
           "need a larger stack: cuCtxSetLimit(CU_LIMIT_STACK_SIZE).";
  if (fault.access & ptx::access_constant)
    return "Look at the index: constant memory ends with the module's __constant__ variables.";
  return "";
}

void add_location(std::vector<Fact>& facts, uint64_t location, const ptx::Module* module) {
  if (ptx_line(location) > 0) facts.push_back({"line of the PTX", ptx_line(location)});
  if (std::string source = source_line(location, module); !source.empty())
    facts.push_back({"source", std::move(source)});
}

}  // namespace

Report kernel_fault(const GridFault& fault, const FaultedKernel& kernel,
                    const memory::AddressSpace& memory) {
  const bool of_memory =
      (fault.kind == GridFaultKind::illegal_address || fault.kind == GridFaultKind::misaligned) &&
      !space_of(fault.access);
  Located located{Located::How::nowhere, nullptr};
  if (of_memory) located = locate(memory, fault.address);
  const std::string kernel_name = callsite::readable_name(std::string(kernel.name).c_str());
  Report report{
      id_of(fault.kind), sentence(fault, kernel, kernel_name, located), {}, advice_of(fault)};
  std::vector<Fact>& facts = report.facts;
  facts.push_back({"kernel", kernel_name});
  facts.push_back({"block", triple(fault.block)});
  if (fault.kind != GridFaultKind::stuck) facts.push_back({"thread", triple(fault.thread)});
  facts.push_back({"grid", triple(kernel.shape.grid)});
  facts.push_back({"threads of a block", triple(kernel.shape.block)});
  add_location(facts, fault.location, kernel.module);
  if (fault.kind == GridFaultKind::illegal_address || fault.kind == GridFaultKind::misaligned) {
    facts.push_back({"address", hexadecimal(fault.address)});
    if (const auto part = named_part(fault, kernel, located))
      facts.push_back({"variable", part->fact()});
    facts.push_back({"access", fault.access & ptx::access_atomic  ? "atomic"
                               : fault.access & ptx::access_write ? "write"
                                                                  : "read"});
    facts.push_back({"bytes", uint64_t{ptx::access_bytes(fault.access)}});
    if (fault.access & ptx::access_shared)
      facts.push_back({"dynamic shared memory", uint64_t{kernel.shape.dynamic_shared}});
  }
  if (fault.kind == GridFaultKind::no_function)
    facts.push_back({"address", hexadecimal(fault.address)});
  facts.push_back({"number", kernel.number});
  facts.push_back({"stream", kernel.stream});
  facts.push_back({"launched at", callsite::describe_call(kernel.call_site)});
  if (of_memory && kernel.heap)
    add_facts(facts, *kernel.heap);
  else if (of_memory)
    add_facts(facts, located, fault.address);
  if (of_memory && fault.kind == GridFaultKind::illegal_address)
    report.advice =
        kernel.heap ? advice_of(*kernel.heap)
                    : advice_of(located, fault.address, ptx::access_bytes(fault.access), memory);
  if (fault.kind == GridFaultKind::misaligned) report.advice = advice_of_misaligned(fault, located);
  return report;
}

void KernelFaultObserver::kernel_faulted(const device::Stream& stream, uint64_t number,
                                         const device::Operation& operation,
                                         const GridFault& fault) {
  const device::KernelCall& call = static_cast<const device::KernelLaunch&>(operation).call();
  FaultedKernel kernel{call.name(),
                       stream_as_fact(stream),
                       number,
                       call.shape(),
                       operation.call_site,
                       call.function() ? &call.function()->module_text() : nullptr};
  kernel.code = &call.code();
  kernel.heap = in_heap(stream, call, fault.address);
  Report report = kernel_fault(fault, kernel, device::Machine::get().memory());
  report.commands = {{stream.id(), number}};
  report.address = fault.address;
  if (reporter().admit(report.id, operation.call_site)) reporter().write(report);
}

}  // namespace cuvette::check
