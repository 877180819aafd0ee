// SPDX-License-Identifier: Apache-2.0
// Waiting for the device. Once the application knows that work is over, so may others: the signals
// of that work are in the blocks when these functions return, and not a moment later, when a helper
// would have written them. (A driver that signals a fence before the semaphores of the same submit,
// as lavapipe does, leaves those to the helper.)
#include "api/vulkan_layer/entry_points.hpp"

namespace cuvette::vulkan_layer {
namespace {

VkResult published(Device& device, VkResult result) {
  if (result == VK_SUCCESS && device.shares()) device.semaphores().publish();
  return result;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue queue) {
  Device& found = Device::all().find(queue);
  return published(found, found.next().QueueWaitIdle(queue));
}

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice device) {
  Device& found = Device::all().find(device);
  return published(found, found.next().DeviceWaitIdle(device));
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, uint32_t fenceCount,
                                             const VkFence* pFences, VkBool32 waitAll,
                                             uint64_t timeout) {
  Device& found = Device::all().find(device);
  return published(found,
                   found.next().WaitForFences(device, fenceCount, pFences, waitAll, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice device, VkFence fence) {
  Device& found = Device::all().find(device);
  return published(found, found.next().GetFenceStatus(device, fence));
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer
