// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/instance.hpp"

#include <algorithm>
#include <cstring>

#include "api/vulkan_layer/cuda_devices.hpp"

namespace cuvette::vulkan_layer {

Instance::Instance(VkInstance handle, uint32_t api_version, PFN_vkGetInstanceProcAddr next)
    : handle_(handle), api_version_(api_version) {
  next_.load(handle, next);
}

Registry<Instance>& Instance::all() {
  static auto& registry = *new Registry<Instance>;
  return registry;
}

VkPhysicalDeviceProperties Instance::properties(VkPhysicalDevice device) const {
  VkPhysicalDeviceProperties properties;
  next_.GetPhysicalDeviceProperties(device, &properties);
  return properties;
}

std::vector<VkExtensionProperties> Instance::extensions(VkPhysicalDevice device) const {
  uint32_t count = 0;
  std::vector<VkExtensionProperties> found;
  next_.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  found.resize(count);
  if (next_.EnumerateDeviceExtensionProperties(device, nullptr, &count, found.data()) < 0)
    count = 0;
  found.resize(count);
  return found;
}

bool Instance::lists(VkPhysicalDevice device, std::string_view extension) const {
  const auto found = extensions(device);
  return std::any_of(found.begin(), found.end(),
                     [&](const auto& one) { return extension == one.extensionName; });
}

bool Instance::can_share(VkPhysicalDevice device) const {
  const VkPhysicalDeviceProperties found = properties(device);
  if (found.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) return false;
  return found.apiVersion >= VK_API_VERSION_1_2 ||
         lists(device, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
}

bool Instance::needs_timeline_extension(VkPhysicalDevice device) const {
  return std::min(api_version_, properties(device).apiVersion) < VK_API_VERSION_1_2;
}

const std::array<uint8_t, 16>* Instance::cuda_uuid(VkPhysicalDevice device) {
  std::call_once(listed_, [this] {
    uint32_t count = 0;
    next_.EnumeratePhysicalDevices(handle_, &count, nullptr);
    std::vector<VkPhysicalDevice> found(count);
    if (next_.EnumeratePhysicalDevices(handle_, &count, found.data()) < 0) count = 0;
    found.resize(count);
    for (const VkPhysicalDevice one : found)
      if (properties(one).deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) software_.push_back(one);
  });
  const auto found = std::find(software_.begin(), software_.end(), device);
  const auto index = static_cast<size_t>(found - software_.begin());
  return found != software_.end() && index < cuda_uuids().size() ? &cuda_uuids()[index] : nullptr;
}

}  // namespace cuvette::vulkan_layer
