// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/device.hpp"

namespace cuvette::vulkan_layer {

Registry<Device>& Device::all() {
  static auto& registry = *new Registry<Device>;
  return registry;
}

void Device::end() {
  if (OwnershipWatch* const watched = watch()) {
    watched->end();
    if (!shares()) timelines_.destroy_all();
  }
  if (!shares()) return;
  semaphores_.publish();
  // A queue that still waits would keep the driver from destroying the device.
  if (semaphores_.release()) next_.DeviceWaitIdle(handle_);
  semaphores_.clear();
  timelines_.destroy_all();
}

}  // namespace cuvette::vulkan_layer
