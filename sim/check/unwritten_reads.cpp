// SPDX-License-Identifier: Apache-2.0
#include "sim/check/unwritten_reads.hpp"

#include "sim/check/order/kernel_races.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/source_line.hpp"

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

Report report_about(const LaunchedKernel& kernel, const UnwrittenRead& read) {
  const InKernel reader = in_kernel(kernel, read.by);
  const bool global = read.memory == Memory::global;
  std::string sentence = "In the kernel " + reader.name + ", " + thread_of(reader) + " reads " +
                         std::to_string(read.bytes) + " bytes of " + name(read.memory);
  if (read.address != 0 || !global) sentence += " at " + hexadecimal(read.address);
  sentence += " that are uninitialised, and they ";
  sentence += effect(read.use);
  Report report{ReportId::uninitialised_read, sentence + ".", {}};
  std::vector<Fact>& facts = report.facts;
  if (read.address != 0 || !global) facts.push_back({"address", hexadecimal(read.address)});
  facts.push_back({"bytes", uint64_t{read.bytes}});
  facts.push_back({"memory", name(read.memory)});
  add_facts(facts, reader, false);
  const auto& function = kernel.call.function();
  const std::string used = source_line(read.used_at, function ? &function->module_text() : nullptr);
  if (!used.empty()) facts.push_back({"used at", used});
  if (const uint64_t line = ptx_line(read.used_at); line != 0)
    facts.push_back({"used at line of the PTX", line});
  add_launch(facts, kernel);
  if (global && read.address != 0) add_allocation(facts, kernel, read.address);
  return report;
}

}  // namespace

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

}  // namespace cuvette::check
