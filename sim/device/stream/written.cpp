// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/written.hpp"

#include <cstdio>
#include <string>

#include "sim/callsite/symbol.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/machine/misuse.hpp"

namespace cuvette::device {
namespace {

// `what`: "the last 16 are uninitialised" and the like.
void notify_unwritten(const Operation& copy, const std::string& what) {
  const memory::Region& from = copy.footprint().reads;
  const Ref<memory::Allocation> allocation = Machine::get().memory().find(from.address);
  char address[32];
  std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(from.address));
  Misuse misuse{MisuseKind::unwritten_copied,
                copy.call_site,
                "A copy reads " + std::to_string(from.bytes()) +
                    " bytes of device memory back to the host, but " + what + ".",
                {}};
  misuse.facts.emplace_back("address", address);
  misuse.facts.emplace_back("bytes", std::to_string(from.bytes()));
  if (allocation)
    misuse.facts.emplace_back("allocated at", callsite::describe_call(allocation->call_site));
  misuse.facts.emplace_back("copied at", callsite::describe_call(copy.call_site));
  Machine::get().observers().notify(&Observer::misused, misuse);
}

}  // namespace

void note_copied(const Operation& copy) {
  auto* const written = watch::WrittenMemory::get();
  if (!written) [[likely]]
    return;
  const Footprint& footprint = copy.footprint();
  written->copy(footprint.writes, footprint.reads);
  const memory::Allocation* const target = footprint.writes_in.allocation().get();
  if (target && !target->host_accessible()) return;
  // A copy of uninitialised memory may be intended: the rest of a buffer whose use depends on data,
  // padding, or a program to which the values do not matter.
  const memory::Region& from = footprint.reads;
  if (from.height != 1 || from.depth != 1) return;
  if (const uint64_t left = written->left_over(from.address, from.width))
    notify_unwritten(copy, "the last " + std::to_string(left) +
                               " are uninitialised: the kernel that wrote the others has too few "
                               "threads, or the copy is too long");
}

}  // namespace cuvette::device
