// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/late_uses.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/exec/scheduler.hpp"

namespace cuvette::device {

namespace {

void make_fresh(const memory::Allocation& one) {
  address_space().fill_fresh(one.address, one.size);
}

// Returns the last commands of the contexts that may use the memory. `kernels`: becomes true if
// some of them are kernels.
std::vector<exec::Edge> under_way(const memory::Allocation& memory, bool& kernels) {
  std::vector<Ref<Context>> contexts;
  if (Ref<Context> owner = Context::of_generation(memory.owner))
    contexts.push_back(std::move(owner));
  if (Context* const current = Thread::current().context();
      current && (contexts.empty() || contexts[0].get() != current))
    contexts.emplace_back(current);
  std::vector<exec::Edge> all;
  for (const Ref<Context>& context : contexts) {
    kernels = kernels || context->kernels.any();
    for (exec::Edge& edge : context->under_way()) all.push_back(std::move(edge));
  }
  return all;
}

}  // namespace

bool LateUses::Late::over() const { return std::ranges::all_of(users, &exec::Edge::reached); }

bool LateUses::add(const Ref<memory::Allocation>& freed) {
  if (!exec::Scheduler::get()) return false;
  bool may_use = freed->users.load(std::memory_order_acquire) > 0;
  // The memory that a kernel uses is not known.
  std::vector<exec::Edge> users = under_way(*freed, may_use);
  if (!may_use) return false;
  // Never destroyed: commands may run while the process exits.
  static LateUses* const instance = [] {
    auto* const made = new LateUses;
    observers().attach(*made);
    return made;
  }();
  make_fresh(*freed);
  MutexLock lock(instance->mutex_);
  instance->late_.push_back({memory::Use(freed), std::move(users)});
  return true;
}

void LateUses::started(const Stream&, uint64_t, const Operation&) {
  std::vector<Late> over;  // dropped without the lock
  MutexLock lock(mutex_);
  const auto rest =
      std::partition(late_.begin(), late_.end(), [](const Late& one) { return !one.over(); });
  std::move(rest, late_.end(), std::back_inserter(over));
  late_.erase(rest, late_.end());
  for (const Late& one : late_) make_fresh(*one.memory.allocation());
}

}  // namespace cuvette::device
