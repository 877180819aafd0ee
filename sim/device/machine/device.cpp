// SPDX-License-Identifier: Apache-2.0
#include "sim/device/machine/device.hpp"

namespace cuvette::device {

Device::Device(const Profile& profile, const Identity& identity, unsigned index, unsigned ordinal)
    : profile_(profile), identity_(identity), index_(index), ordinal_(ordinal) {}

size_t Device::context_memory(size_t total) const {
  if (total >= profile_.memory) return profile_.context_memory;
  return static_cast<size_t>(static_cast<double>(profile_.context_memory) /
                             static_cast<double>(profile_.memory) * static_cast<double>(total));
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
