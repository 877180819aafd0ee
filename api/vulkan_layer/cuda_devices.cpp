// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/cuda_devices.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/config.hpp"
#include "sim/device/model/device_list.hpp"
#include "sim/device/model/visible_devices.hpp"

namespace cuvette::vulkan_layer {
namespace {

using Uuids = std::vector<std::array<uint8_t, 16>>;

Uuids* read_uuids() {
  auto* const uuids = new Uuids;
  const Config& knobs = config();
  std::vector<device::Identity> identities;
  for (const device::ListedDevice& listed : device::device_list(knobs))
    identities.push_back(listed.identity);
  std::optional<std::string_view> list;
  if (knobs.visible_devices) list = *knobs.visible_devices;
  const auto visible = device::visible_devices(list, knobs.device_order, identities);
  if (!visible.ok()) return uuids;
  for (const int index : visible.value())
    uuids->push_back(identities[static_cast<size_t>(index)].uuid);
  return uuids;
}

}  // namespace

std::span<const std::array<uint8_t, 16>> cuda_uuids() {
  static const Uuids& uuids = *read_uuids();
  return uuids;
}

}  // namespace cuvette::vulkan_layer
