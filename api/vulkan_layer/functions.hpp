// SPDX-License-Identifier: Apache-2.0
// The functions of the next layer, or the driver, for one instance and for one device.
//
// Threads: plain values. A pointer is null if the function does not exist.
#pragma once

#include <vulkan/vulkan.h>

namespace cuvette::vulkan_layer {

struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define INSTANCE(name, alias) PFN_vk##name name = nullptr;
#define INSTANCE_CALL(name, alias) PFN_vk##name name = nullptr;
#define DEVICE(name, alias)
#define OWN(name)
#define DEVICE_CALL(name, alias)
#include "api/vulkan_layer/functions.def"
#undef INSTANCE
#undef INSTANCE_CALL
#undef DEVICE
#undef OWN
#undef DEVICE_CALL

  void load(VkInstance instance, PFN_vkGetInstanceProcAddr next);
};

struct DeviceFunctions {
#define INSTANCE(name, alias)
#define INSTANCE_CALL(name, alias)
#define DEVICE(name, alias) PFN_vk##name name = nullptr;
#define OWN(name) PFN_vk##name name = nullptr;
#define DEVICE_CALL(name, alias) PFN_vk##name name = nullptr;
#include "api/vulkan_layer/functions.def"
#undef INSTANCE
#undef INSTANCE_CALL
#undef DEVICE
#undef OWN
#undef DEVICE_CALL

  void load(VkDevice device, PFN_vkGetDeviceProcAddr next);
};

}  // namespace cuvette::vulkan_layer
