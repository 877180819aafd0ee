// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model/device_list.hpp"

#include <algorithm>

namespace cuvette::device {
namespace {

constexpr size_t most_devices = 16;

}  // namespace

std::vector<ListedDevice> device_list(const Config& knobs) {
  const std::vector<const Profile*> models = find_profiles(knobs.device);
  if (models.empty() || models.size() > most_devices) return {};
  const size_t count = std::max<size_t>(knobs.devices, models.size());
  std::vector<ListedDevice> devices;
  devices.reserve(count);
  for (size_t index = 0; index < count; ++index) {
    // Device i has the i-th model; after the last one the list starts again.
    const Profile& profile = *models[index % models.size()];
    devices.push_back({&profile, identity(profile, static_cast<int>(index)),
                       knobs.memory.value_or(profile.memory)});
  }
  return devices;
}

}  // namespace cuvette::device
