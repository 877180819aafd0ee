// SPDX-License-Identifier: Apache-2.0
#include "sim/device/device.hpp"

namespace cuvette::device {

Device::Device(const Profile& profile, const Identity& identity, unsigned index, unsigned ordinal)
    : profile_(profile), identity_(identity), index_(index), ordinal_(ordinal) {}

Device::PrimaryState Device::primary_state() {
  MutexLock lock(mutex_);
  return {primary_flags_, primary_ && primary_->alive()};
}

Ref<Context> Device::primary() {
  MutexLock lock(mutex_);
  return primary_;
}

Result<Ref<Context>> Device::retain_primary() {
  MutexLock lock(mutex_);
  if (auto error = poisoned()) return *error;
  if (!primary_) {
    primary_ = make_ref<Context>(*this, primary_flags_, true);
  } else if (!primary_->alive()) {
    primary_->set_flags(primary_flags_);
    primary_->revive();
  }
  ++primary_references_;
  return primary_;
}

Result<> Device::release_primary() {
  MutexLock lock(mutex_);
  if (primary_references_ == 0)
    return refuse(Error::invalid_context,
                  "The primary context of device %u is released more often "
                  "than it was retained.",
                  ordinal_);
  if (--primary_references_ == 0) end_primary();
  return {};
}

void Device::reset_primary() {
  MutexLock lock(mutex_);
  end_primary();
}

// Measured: the flags set for it end with it.
void Device::end_primary() {
  if (!primary_ || !primary_->alive()) return;
  primary_->tear_down();
  primary_flags_ = 0;
}

void Device::set_primary_flags(unsigned flags) {
  MutexLock lock(mutex_);
  primary_flags_ = flags;
  if (primary_) primary_->set_flags(flags);
}

std::optional<Error> Device::poisoned() const {
  const int code = poison_.load(std::memory_order_acquire);
  if (code == 0) return std::nullopt;
  return static_cast<Error>(code);
}

void Device::poison(Error error) {
  int none = 0;
  poison_.compare_exchange_strong(none, static_cast<int>(error), std::memory_order_acq_rel);
}

}  // namespace cuvette::device
