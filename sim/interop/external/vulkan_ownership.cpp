// SPDX-License-Identifier: Apache-2.0
#include "sim/interop/external/vulkan_ownership.hpp"

#include <atomic>

#include "sim/device/machine/machine.hpp"
#include "sim/interop/external/semaphore_layout.hpp"
#include "sim/os/library.hpp"

namespace cuvette::interop {
namespace {

constinit std::atomic<const OwnershipPartner*> layer{nullptr};

}  // namespace

void look_for_vulkan_layer() {
  if (!device::Machine::get().needs().has(Needs::owners) || layer.load(std::memory_order_relaxed))
    return;
  if (void* const meet = os::find_loaded(partner_library, meet_ownership_symbol))
    layer.store(reinterpret_cast<MeetOwnershipPartner>(meet)(), std::memory_order_release);
}

std::vector<OwnedRange> owned_by_vulkan() {
  std::vector<OwnedRange> owned;
  const OwnershipPartner* const known = layer.load(std::memory_order_acquire);
  if (known)
    known->owned(
        [](void* list, const OwnedRange* range) {
          static_cast<std::vector<OwnedRange>*>(list)->push_back(*range);
        },
        &owned);
  return owned;
}

}  // namespace cuvette::interop
