// SPDX-License-Identifier: Apache-2.0
// The functions that replace Vulkan's: the functions of functions.def, and the two that begin
// a chain.
//
// Threads: any, as Vulkan allows.
#pragma once

#include <vulkan/vulkan.h>

#include <new>
#include <type_traits>

#include "api/vulkan_layer/device.hpp"
#include "api/vulkan_layer/instance.hpp"

namespace cuvette::vulkan_layer::entry {

std::remove_pointer_t<PFN_vkGetInstanceProcAddr> GetInstanceProcAddr;
std::remove_pointer_t<PFN_vkCreateInstance> CreateInstance;

#define INSTANCE(name, alias) std::remove_pointer_t<PFN_vk##name> name;
#define DEVICE(name, alias) std::remove_pointer_t<PFN_vk##name> name;
#define OWN(name) std::remove_pointer_t<PFN_vk##name> name;
#define INSTANCE_CALL(name, alias)
#define DEVICE_CALL(name, alias)
#include "api/vulkan_layer/functions.def"
#undef INSTANCE
#undef DEVICE
#undef OWN
#undef INSTANCE_CALL
#undef DEVICE_CALL

// Runs the body of an entry point: no exception leaves the layer.
template <typename Body>
VkResult guarded(const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
}

// Runs `note`, which follows what the application does on a device that is watched. If memory runs
// out, the watch ends, and the application's call succeeds all the same.
template <typename Note>
void follow(const Device& device, const Note& note) {
  OwnershipWatch* const watch = device.watch();
  if (!watch) return;
  try {
    note(*watch);
  } catch (const std::bad_alloc&) {
    watch->ownership.lose_track();
  }
}

}  // namespace cuvette::vulkan_layer::entry
