// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/owned_by_vulkan.hpp"

#include <algorithm>
#include <string>

#include "sim/callsite/symbol.hpp"
#include "sim/check/kernel/kernel_watch.hpp"
#include "sim/check/order/all_operations.hpp"
#include "sim/check/order/memory_use.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/interop/external/memory_format.hpp"

namespace cuvette::check {

using device::Operation;
using device::OperationKind;
using interop::OwnedRange;
using memory::Allocation;
using memory::DevicePtr;

namespace {

// The ranges that lie in an allocation's file, and where its memory begins there.
struct InFile {
  std::vector<OwnedRange> owned;
  uint64_t payload = 0;
};

InFile ranges_of(const Allocation& memory, const std::vector<OwnedRange>& owned) {
  InFile found;
  if (!memory.segment) return found;
  const os::Segment::Identity file = memory.segment->identity();
  for (const OwnedRange& one : owned)
    if (file == os::Segment::Identity{one.device, one.inode}) found.owned.push_back(one);
  if (found.owned.empty()) return found;
  const auto payload = interop::find_payload(*memory.segment);
  if (!payload.ok()) return {};
  found.payload = payload.value().offset;
  return found;
}

// Returns what Vulkan owns of `bytes` bytes at an address in the allocation; null if nothing.
const OwnedRange* find(const InFile& in, const Allocation& memory, DevicePtr address,
                       uint64_t bytes) {
  const uint64_t begin = memory.offset - in.payload + (address - memory.address);
  for (const OwnedRange& one : in.owned)
    if (begin < one.end && one.begin < begin + bytes) return &one;
  return nullptr;
}

void report(const MemoryUser& user, const Allocation& memory, DevicePtr address,
            const OwnedRange& owned) {
  if (!reporter().admit(ReportId::vulkan_owned, user.operation.call_site)) return;
  std::string why = "which Vulkan owns: ";
  if (owned.released_at)
    why += "the barrier that releases it to VK_QUEUE_FAMILY_EXTERNAL has not been executed yet.";
  else
    why +=
        "it was acquired from VK_QUEUE_FAMILY_EXTERNAL, and no barrier that releases it has been "
        "submitted since.";
  Report report = report_of_use(ReportId::vulkan_owned, user, memory, address, why);
  report.advice =
      owned.released_at
          ? "Let the submission that has the barrier signal a semaphore, and make the stream wait "
            "for it with cuWaitExternalSemaphoresAsync before the command."
          : "Submit a barrier whose dstQueueFamilyIndex is VK_QUEUE_FAMILY_EXTERNAL and that "
            "releases the memory, let that submission signal a semaphore, and make the stream wait "
            "for it before the command.";
  if (owned.acquired_at)
    report.facts.push_back({"acquire submitted at", callsite::describe_call(owned.acquired_at)});
  if (owned.released_at)
    report.facts.push_back({"release submitted at", callsite::describe_call(owned.released_at)});
  report.facts.push_back({"owned bytes of the memory",
                          std::to_string(owned.begin) + " to " + std::to_string(owned.end)});
  add_facts(report.facts, memory, address);
  reporter().write(report);
}

// Looks at a region that a command is about to use.
void look(const MemoryUser& user, const memory::Use& use, const memory::Region& region,
          const std::vector<OwnedRange>& owned) {
  const Ref<const Allocation> memory = memory_of(use, region);
  if (!memory || region.empty()) return;
  const InFile in = ranges_of(*memory, owned);
  if (!find(in, *memory, region.address, region.extent())) return;
  for (size_t z = 0; z < region.depth; ++z)
    for (size_t y = 0; y < region.height; ++y) {
      const DevicePtr row = region.address + z * region.slice + y * region.pitch;
      if (const OwnedRange* const found = find(in, *memory, row, region.width))
        return report(user, *memory, row, *found);
    }
}

// Looks at bytes that a kernel has used.
void look(const MemoryUser& user, DevicePtr begin, DevicePtr end,
          const std::vector<OwnedRange>& owned) {
  const auto& all = device::Machine::get().memory();
  while (begin < end) {
    const Ref<Allocation> memory = all.find_touched(begin);
    if (!memory || memory->end() <= begin) return;
    const DevicePtr rest = std::min(end, memory->end());
    const InFile in = ranges_of(*memory, owned);
    if (const OwnedRange* const found = find(in, *memory, begin, rest - begin))
      return report(user, *memory, begin, *found);
    begin = rest;
  }
}

// Whether the operation waits for something else than the steps before it.
bool waits(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::semaphore_wait:
    case OperationKind::event_wait:
    case OperationKind::value_wait:
    case OperationKind::value_batch:
    case OperationKind::host_function:
    case OperationKind::callback:
      return true;
    default:
      return false;
  }
}

}  // namespace

void OwnedByVulkan::started(const device::Stream& stream, uint64_t number,
                            const Operation& operation) {
  const Ranges owned = interop::owned_by_vulkan();
  if (owned.empty()) return;
  any_.store(true, std::memory_order_relaxed);
  if (operation.kind == OperationKind::kernel) {
    MutexLock lock(mutex_);
    at_begin_[{&stream, number}] = owned;
    return;
  }
  bool any_waits = false;
  if (operation.steps())
    visit_all(operation, [&](const Operation& one) { any_waits |= waits(one); });
  if (any_waits) return;
  visit_all(operation, [&](const Operation& one) {
    if (one.steps()) return;
    const device::Footprint& footprint = one.footprint();
    look({stream, number, one}, footprint.reads_in, footprint.reads, owned);
    look({stream, number, one}, footprint.writes_in, footprint.writes, owned);
  });
}

void OwnedByVulkan::kernel_watched(const device::Stream& stream, uint64_t number,
                                   const Operation& operation, const device::KernelCall&,
                                   const watch::KernelWatch& watch) {
  Ranges owned = interop::owned_by_vulkan();
  Ranges before;
  {
    MutexLock lock(mutex_);
    if (const auto found = at_begin_.find({&stream, number}); found != at_begin_.end())
      before = found->second;
  }
  if (owned.empty() && before.empty()) return;
  const auto& touched = watch.races().touched();
  if (std::ranges::none_of(touched, &watch::Touched::atomic))
    owned.insert(owned.end(), before.begin(), before.end());
  else
    std::erase_if(owned, [&](const OwnedRange& one) {
      return std::ranges::none_of(
          before, [&](const OwnedRange& other) { return one.since == other.since; });
    });
  if (owned.empty()) return;
  for (const watch::Touched& one : touched)
    look({stream, number, operation}, one.begin, one.end, owned);
}

void OwnedByVulkan::completed(const device::Stream& stream, uint64_t number, const Operation&) {
  MutexLock lock(mutex_);
  at_begin_.erase({&stream, number});
}

}  // namespace cuvette::check
