// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/overlapping_mappings.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/callsite/symbol.hpp"
#include "sim/check/kernel/kernel_watch.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/machine/machine.hpp"

namespace cuvette::check {

using memory::Allocation;
using memory::AllocationKind;

namespace {

// Bytes that both have, counted from where the memory begins.
struct Shared {
  uint64_t begin, end;
};
Shared shared_bytes(const Allocation& a, const Allocation& b) {
  return {std::max(a.offset, b.offset), std::min(a.offset + a.size, b.offset + b.size)};
}

std::string range_of(const Allocation& buffer) {
  return hexadecimal(buffer.address) + ", bytes " + std::to_string(buffer.offset) + " to " +
         std::to_string(buffer.offset + buffer.size) + " of the memory";
}

void give_hint(const Allocation& first, const Allocation& second) {
  // The same for both orders.
  const auto place = reinterpret_cast<const void*>(reinterpret_cast<uint64_t>(first.call_site) +
                                                   reinterpret_cast<uint64_t>(second.call_site));
  if (!reporter().admit(ReportId::overlapping_mappings, place)) return;
  const Shared shared = shared_bytes(first, second);
  Report report{ReportId::overlapping_mappings,
                "Two buffers of the same external memory, at " + hexadecimal(first.address) +
                    " and " + hexadecimal(second.address) + ", have " +
                    std::to_string(shared.end - shared.begin) +
                    " bytes in common, and kernels use these by both addresses.",
                {}};
  report.facts.push_back({"buffer", range_of(first)});
  report.facts.push_back({"mapped at", callsite::describe_call(first.call_site)});
  report.facts.push_back({"other buffer", range_of(second)});
  report.facts.push_back({"other mapped at", callsite::describe_call(second.call_site)});
  reporter().write(report);
}

}  // namespace

void OverlappingMappings::kernel_watched(const device::Stream&, uint64_t, const device::Operation&,
                                         const device::KernelCall&,
                                         const watch::KernelWatch& watch) {
  const watch::AliasWatch& aliases = watch.aliases();
  if (!aliases.any()) return;
  const auto& memory = device::Machine::get().memory();
  std::vector<Ref<Allocation>> buffers;
  {
    MutexLock lock(mutex_);
    const auto note = [&](uint64_t address, const watch::AliasUse& use) REQUIRES(mutex_) {
      const Ref<Allocation> buffer = memory.find(address);
      if (!buffer || buffer->kind != AllocationKind::external) return;
      watch::AliasUse& known = uses_[buffer->buffer_id];
      known.plain |= use.plain;
      known.strong |= use.strong;
      if (known.plain && !known.strong) buffers.push_back(buffer);
    };
    for (const watch::AliasMistake& mistake : aliases.mistakes())
      for (const uint64_t address : {mistake.address, mistake.earlier_address})
        note(address, {false, true});
    for (size_t i = 0; i < aliases.ranges().size(); ++i)
      note(aliases.ranges()[i].begin, aliases.uses()[i]);
  }
  std::ranges::sort(buffers, {}, [](const Ref<Allocation>& one) { return one->offset; });
  for (auto first = buffers.begin(); first != buffers.end(); ++first)
    for (auto second = first + 1;
         second != buffers.end() && (*second)->offset < (*first)->offset + (*first)->size; ++second)
      if ((*first)->segment == (*second)->segment) give_hint(**first, **second);
}

void OverlappingMappings::freed(const Allocation& memory) {
  MutexLock lock(mutex_);
  uses_.erase(memory.buffer_id);
}

}  // namespace cuvette::check
