// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/legacy_launch.hpp"

#include <algorithm>
#include <cstring>

namespace cuvette::device {

void LegacyLaunch::set_block(uint32_t x, uint32_t y, uint32_t z) {
  MutexLock lock(mutex_);
  settings_.block[0] = x;
  settings_.block[1] = y;
  settings_.block[2] = z;
}

void LegacyLaunch::set_shared(uint32_t bytes) {
  MutexLock lock(mutex_);
  settings_.shared = bytes;
}

Result<> LegacyLaunch::set_parameter_bytes(size_t bytes) {
  if (bytes > most_parameter_bytes)
    return refuse(Error::invalid_value, "%zu bytes of parameters are too many: the limit is %zu.",
                  bytes, most_parameter_bytes);
  MutexLock lock(mutex_);
  parameter_bytes_ = bytes;
  return {};
}

Result<> LegacyLaunch::set_parameter(size_t offset, const void* value, size_t bytes) {
  if (offset > most_parameter_bytes || bytes > most_parameter_bytes - offset)
    return refuse(Error::invalid_value,
                  "A parameter of %zu bytes at offset %zu is not valid: a kernel can have %zu "
                  "bytes of parameters.",
                  bytes, offset, most_parameter_bytes);
  MutexLock lock(mutex_);
  settings_.parameters.resize(std::max(settings_.parameters.size(), offset + bytes));
  memcpy(settings_.parameters.data() + offset, value, bytes);
  return {};
}

LegacyLaunch::Settings LegacyLaunch::settings() {
  MutexLock lock(mutex_);
  Settings settings = settings_;
  settings.parameters.resize(parameter_bytes_);
  return settings;
}

}  // namespace cuvette::device
