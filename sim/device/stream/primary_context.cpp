// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/primary_context.hpp"

#include <vector>

#include "sim/device/machine/machine.hpp"

namespace cuvette::device {

PrimaryContext& PrimaryContext::of(Device& device) {
  static const auto& all = *[] {
    auto* contexts = new std::vector<PrimaryContext*>;
    for (const auto& one : Machine::get().devices()) contexts->push_back(new PrimaryContext(*one));
    return contexts;
  }();
  return *all[device.ordinal()];
}

PrimaryContext::State PrimaryContext::state() {
  MutexLock lock(mutex_);
  return {flags_, context_ && context_->alive()};
}

Ref<Context> PrimaryContext::context() {
  MutexLock lock(mutex_);
  return context_;
}

Result<Ref<Context>> PrimaryContext::retain() {
  MutexLock lock(mutex_);
  if (auto error = device_.poisoned()) return *error;
  if (!context_) {
    context_ = make_ref<Context>(device_, flags_, true);
  } else if (!context_->alive()) {
    context_->set_flags(flags_);
    context_->revive();
  }
  ++references_;
  return context_;
}

Result<> PrimaryContext::release() {
  MutexLock lock(mutex_);
  if (references_ == 0)
    return refuse(Error::invalid_context,
                  "The primary context of device %u is released more often "
                  "than it was retained.",
                  device_.ordinal());
  if (--references_ == 0) end();
  return {};
}

void PrimaryContext::reset() {
  MutexLock lock(mutex_);
  end();
}

// Measured: the flags set for it end with it.
void PrimaryContext::end() {
  if (!context_ || !context_->alive()) return;
  context_->tear_down();
  flags_ = 0;
}

void PrimaryContext::set_flags(unsigned flags) {
  MutexLock lock(mutex_);
  flags_ = flags;
  if (context_) context_->set_flags(flags);
}

}  // namespace cuvette::device
