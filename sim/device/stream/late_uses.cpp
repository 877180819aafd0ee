// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/late_uses.hpp"

#include "sim/device/machine/machine.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::device {

void LateUses::add(const Ref<memory::Allocation>& freed) {
  if (!exec::Scheduler::get()) return;
  // Never destroyed: commands may run while the process exits.
  static LateUses* const instance = [] {
    auto* const made = new LateUses;
    observers().attach(*made);
    return made;
  }();
  address_space().fill_fresh(freed->address, freed->size);
  MutexLock lock(instance->mutex_);
  instance->freed_.push_back(freed);
}

void LateUses::started(const Stream&, uint64_t, const Operation&) {
  MutexLock lock(mutex_);
  // Without a user left its bytes may belong to another allocation.
  std::erase_if(freed_, [](const Ref<memory::Allocation>& one) {
    return one->users.load(std::memory_order_acquire) == 0;
  });
  for (const Ref<memory::Allocation>& one : freed_)
    address_space().fill_fresh(one->address, one->size);
}

}  // namespace cuvette::device
