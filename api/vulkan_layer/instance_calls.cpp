// SPDX-License-Identifier: Apache-2.0
// Instances and physical devices: what the layer adds to what the driver says.
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "api/vulkan_layer/chain.hpp"
#include "api/vulkan_layer/entry_points.hpp"

namespace cuvette::vulkan_layer {
namespace {

constexpr const char* shared_extension = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;

VkExtensionProperties shared_extension_properties() {
  VkExtensionProperties properties{};
  strncpy(properties.extensionName, shared_extension, sizeof properties.extensionName - 1);
  properties.specVersion = VK_KHR_EXTERNAL_SEMAPHORE_FD_SPEC_VERSION;
  return properties;
}

// Gives an array in Vulkan's way: the number if `room` is null, else as many as fit.
VkResult give(const std::vector<VkExtensionProperties>& list, uint32_t* count,
              VkExtensionProperties* room) {
  const auto all = static_cast<uint32_t>(list.size());
  if (!room) {
    *count = all;
    return VK_SUCCESS;
  }
  const bool fits = *count >= all;
  *count = std::min(*count, all);
  std::copy_n(list.begin(), *count, room);
  return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

// Destroys devices that the application has not destroyed: the driver is about to be unloaded.
void end_devices_of(VkInstance instance) {
  Device::all().for_each([&](Device& device) {
    if (device.instance() == instance) device.end();
  });
}

void set_uuid(void* chain, const std::array<uint8_t, 16>& uuid) {
  for (auto* one = static_cast<VkBaseOutStructure*>(chain); one; one = one->pNext) {
    if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
      memcpy(reinterpret_cast<VkPhysicalDeviceIDProperties*>(one)->deviceUUID, uuid.data(), 16);
    if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
      memcpy(reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(one)->deviceUUID, uuid.data(),
             16);
  }
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* pCreateInfo,
                                              const VkAllocationCallbacks* pAllocator,
                                              VkInstance* pInstance) {
  return guarded([&]() -> VkResult {
    // The loader's link to the next layer; it is the loader's to be moved on.
    const void* chain = pCreateInfo->pNext;
    VkLayerInstanceCreateInfo* link = nullptr;
    while (const auto* found =
               find_in_chain(chain, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO)) {
      link = reinterpret_cast<VkLayerInstanceCreateInfo*>(const_cast<VkBaseInStructure*>(found));
      if (link->function == VK_LAYER_LINK_INFO) break;
      link = nullptr;
      chain = found->pNext;
    }
    if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
    const auto next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;

    const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(nullptr, "vkCreateInstance"));
    if (!create) return VK_ERROR_INITIALIZATION_FAILED;
    const VkResult result = create(pCreateInfo, pAllocator, pInstance);
    if (result != VK_SUCCESS) return result;
    const VkApplicationInfo* const application = pCreateInfo->pApplicationInfo;
    const uint32_t version =
        application && application->apiVersion ? application->apiVersion : VK_API_VERSION_1_0;
    Instance::all().add(key_of(*pInstance), std::make_unique<Instance>(*pInstance, version, next));
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance,
                                           const VkAllocationCallbacks* pAllocator) {
  if (!instance) return;
  end_devices_of(instance);
  const auto found = Instance::all().remove(key_of(instance));
  found->next().DestroyInstance(instance, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
EnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice, const char* pLayerName,
                                   uint32_t* pPropertyCount, VkExtensionProperties* pProperties) {
  return guarded([&]() -> VkResult {
    if (pLayerName && strcmp(pLayerName, layer_name) == 0)
      return give({shared_extension_properties()}, pPropertyCount, pProperties);
    const Instance& instance = Instance::all().find(physicalDevice);
    if (pLayerName || !instance.can_share(physicalDevice) ||
        instance.lists(physicalDevice, shared_extension))
      return instance.next().EnumerateDeviceExtensionProperties(physicalDevice, pLayerName,
                                                                pPropertyCount, pProperties);
    auto list = instance.extensions(physicalDevice);
    list.push_back(shared_extension_properties());
    return give(list, pPropertyCount, pProperties);
  });
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physicalDevice,
                                                        VkPhysicalDeviceProperties2* pProperties) {
  Instance& instance = Instance::all().find(physicalDevice);
  instance.next().GetPhysicalDeviceProperties2(physicalDevice, pProperties);
  if (const auto* const uuid = instance.cuda_uuid(physicalDevice))
    set_uuid(pProperties->pNext, *uuid);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo* pInfo,
    VkExternalSemaphoreProperties* pProperties) {
  const Instance& instance = Instance::all().find(physicalDevice);
  instance.next().GetPhysicalDeviceExternalSemaphoreProperties(physicalDevice, pInfo, pProperties);
  if (pInfo->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT ||
      !instance.can_share(physicalDevice))
    return;
  pProperties->exportFromImportedHandleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  pProperties->compatibleHandleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  pProperties->externalSemaphoreFeatures =
      VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer
