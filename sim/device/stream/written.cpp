// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/written.hpp"

#include "sim/device/machine/machine.hpp"
#include "sim/device/machine/misuse.hpp"

namespace cuvette::device {
void note_copied(const Operation& copy) {
  auto* const written = watch::WrittenMemory::get();
  if (!written) [[likely]]
    return;
  const Footprint& footprint = copy.footprint();
  written->copy(footprint.writes, footprint.reads);
  const memory::Allocation* const target = footprint.writes_in.allocation().get();
  if (target && !target->host_accessible()) return;
  // A copy of what nobody has written may be meant: the rest of a buffer whose use depends on data,
  // padding, or a program to which the values do not matter.
  const memory::Region& from = footprint.reads;
  if (from.height != 1 || from.depth != 1) return;
  const uint64_t left = written->left_over(from.address, from.width);
  if (left == 0) return;
  const Ref<memory::Allocation> source = Machine::get().memory().find(from.address);
  notify_misuse({misuse::UnwrittenCopied{from.address, from.bytes(), left,
                                         source ? source->call_site : nullptr},
                 copy.call_site});
}

}  // namespace cuvette::device
