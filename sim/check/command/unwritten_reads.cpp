// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/unwritten_reads.hpp"

#include "sim/callsite/symbol.hpp"
#include "sim/check/kernel/written_memory.hpp"
#include "sim/check/order/kernel_races.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/source_line.hpp"
#include "sim/device/machine/machine.hpp"

namespace cuvette::check {
namespace {

using ptx::TaintUse;
using watch::Memory;
using watch::UnwrittenRead;

const char* name(Memory memory) {
  switch (memory) {
    case Memory::shared:
      return "shared memory";
    case Memory::local:
      return "local memory";
    case Memory::global:
      break;
  }
  return "global memory";
}

// Returns the effect of the bytes, to follow "they ".
const char* effect(TaintUse use) {
  switch (use) {
    case TaintUse::branch:
      return "decide a branch";
    case TaintUse::address:
      return "are part of an address";
    case TaintUse::atomic:
      return "are an operand of an atomic operation";
    case TaintUse::store:
      break;
  }
  return "are part of a result that is stored in global memory";
}

const char* advice_of(Memory memory) {
  switch (memory) {
    case Memory::shared:
      return "Let a thread of the block write each element before it is read, with __syncthreads() "
             "between the two: shared memory begins with whatever the last block left.";
    case Memory::local:
      return "Initialise the variable, or each element of the array, where it is declared: a "
             "branch or a loop that the thread did not take leaves it as it was.";
    case Memory::global:
      break;
  }
  return "Write the memory before the kernel reads it: with cuMemset or cuMemcpy, or with a kernel "
         "that covers all of it; or look at the index, which may be past what was written.";
}

Report report_about(const LaunchedKernel& kernel, const UnwrittenRead& read) {
  const InKernel reader = in_kernel(kernel, read.by);
  const bool global = read.memory == Memory::global;
  std::optional<VariablePart> part;
  if (read.memory != Memory::local)
    part = part_of(kernel, read.memory == Memory::shared, read.address, read.bytes);
  std::string sentence = "In the kernel " + reader.name + ", " + thread_of(reader) + " reads " +
                         std::to_string(read.bytes) + " bytes of " + name(read.memory);
  if (read.address != 0 || !global) sentence += " at " + in_words(part, read.address);
  sentence += " that are uninitialised, and they ";
  sentence += effect(read.use);
  Report report{ReportId::uninitialised_read, sentence + ".", {}, advice_of(read.memory)};
  std::vector<Fact>& facts = report.facts;
  if (read.address != 0 || !global) add_address(facts, part, read.address);
  facts.push_back({"bytes", uint64_t{read.bytes}});
  facts.push_back({"memory", name(read.memory)});
  add_facts(facts, reader, false);
  const auto& function = kernel.call.function();
  const std::string used = source_line(read.used_at, function ? &function->module_text() : nullptr);
  if (!used.empty()) facts.push_back({"used at", used});
  if (const uint64_t line = ptx_line(read.used_at); line != 0)
    facts.push_back({"used at line of the PTX", line});
  add_launch(report, kernel);
  if (global && read.address != 0) add_allocation(facts, kernel, read.address);
  return report;
}

// The last `left` bytes that the copy reads are unwritten.
Report unwritten_copy_report(const device::Operation& copy, uint64_t left) {
  const memory::Region& from = copy.footprint().reads;
  Report report{
      ReportId::uninitialised_read,
      "A copy reads " + std::to_string(from.bytes()) +
          " bytes of device memory back to the host, but the last " + std::to_string(left) +
          " are uninitialised: the kernel that wrote the others has too few threads, or the copy "
          "is too long.",
      {},
      "Launch a thread for each element (the grid's size is rounded up), or copy only what the "
      "kernel has written."};
  report.facts.push_back({"address", hexadecimal(from.address)});
  report.facts.push_back({"bytes", std::to_string(from.bytes())});
  if (const auto source = device::Machine::get().memory().find(from.address))
    report.facts.push_back({"allocated at", callsite::describe_call(source->call_site)});
  report.facts.push_back({"copied at", callsite::describe_call(copy.call_site)});
  return report;
}

}  // namespace

UnwrittenReadObserver::UnwrittenReadObserver() {
  watch::WrittenMemory::start(device::Machine::get().memory());
}

void UnwrittenReadObserver::kernel_watched(const device::Stream& stream, uint64_t number,
                                           const device::Operation& operation,
                                           const device::KernelCall& call,
                                           const watch::KernelWatch& watch) {
  if (!watch.taint()) return;
  const LaunchedKernel kernel{stream, number, operation, call};
  for (const UnwrittenRead& read : watch.taint()->reads()) {
    if (reporter().admit(ReportId::uninitialised_read, place_of(kernel, read.by.place.location)))
      reporter().write(report_about(kernel, read));
  }
}

void UnwrittenReadObserver::writing(const memory::Region& region) {
  watch::WrittenMemory::get()->set(region, true);
}

void UnwrittenReadObserver::renewing(const memory::Region& region) {
  watch::WrittenMemory::get()->set(region, false);
}

void UnwrittenReadObserver::copying(const device::Operation& copy) {
  watch::WrittenMemory& written = *watch::WrittenMemory::get();
  const device::Footprint& footprint = copy.footprint();
  written.copy(footprint.writes, footprint.reads);
  const memory::Allocation* const target = footprint.writes_in.allocation().get();
  if (target && !target->host_accessible()) return;
  // A copy of uninitialised memory may be intended: the rest of a buffer whose use depends on data,
  // padding, or a program to which the values do not matter.
  const memory::Region& from = footprint.reads;
  if (from.height != 1 || from.depth != 1) return;
  const uint64_t left = written.left_over(from.address, from.width);
  if (left != 0 && reporter().admit(ReportId::uninitialised_read, copy.call_site))
    reporter().write(unwritten_copy_report(copy, left));
}

}  // namespace cuvette::check
