// SPDX-License-Identifier: Apache-2.0
// Creating and destroying devices. The driver gets what it knows: the extension's name is taken out
// where it lacks it, and timeline semaphores are switched on, because the layer uses them.
#include <vulkan/vk_layer.h>

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "api/vulkan_layer/chain.hpp"
#include "api/vulkan_layer/entry_points.hpp"

namespace cuvette::vulkan_layer {
namespace {

VkLayerDeviceCreateInfo* loader_link(const void* chain) {
  while (const auto* found = find_in_chain(chain, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)) {
    auto* const link =
        reinterpret_cast<VkLayerDeviceCreateInfo*>(const_cast<VkBaseInStructure*>(found));
    if (link->function == VK_LAYER_LINK_INFO) return link;
    chain = found->pNext;
  }
  return nullptr;
}

bool names(const VkDeviceCreateInfo& create, std::string_view extension) {
  for (uint32_t i = 0; i < create.enabledExtensionCount; ++i)
    if (extension == create.ppEnabledExtensionNames[i]) return true;
  return false;
}

std::vector<const char*> extensions_for(const Instance& instance, VkPhysicalDevice device,
                                        const VkDeviceCreateInfo& create) {
  const std::string_view shared = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
  const char* const timeline = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
  std::vector<const char*> list;
  const bool keeps = instance.lists(device, shared);
  for (uint32_t i = 0; i < create.enabledExtensionCount; ++i)
    if (keeps || shared != create.ppEnabledExtensionNames[i])
      list.push_back(create.ppEnabledExtensionNames[i]);
  if (instance.needs_timeline_extension(device) && !names(create, timeline))
    list.push_back(timeline);
  return list;
}

// Switches timeline semaphores on. `own` is chained if the application says nothing about them.
void enable_timelines(Chain& chain, VkPhysicalDeviceTimelineSemaphoreFeatures& own) {
  const auto* const all = find_in_chain<VkPhysicalDeviceVulkan12Features>(
      chain.first(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  const auto* const one = find_in_chain<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      chain.first(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  if ((all && all->timelineSemaphore) || (one && one->timelineSemaphore)) return;
  if (all) {
    if (auto* const copy = chain.change<VkPhysicalDeviceVulkan12Features>(all->sType)) {
      copy->timelineSemaphore = VK_TRUE;
      return;
    }
  } else if (one) {
    if (auto* const copy = chain.change<VkPhysicalDeviceTimelineSemaphoreFeatures>(one->sType)) {
      copy->timelineSemaphore = VK_TRUE;
      return;
    }
  }
  own.timelineSemaphore = VK_TRUE;
  chain.prepend(own);
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physicalDevice,
                                            const VkDeviceCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks* pAllocator,
                                            VkDevice* pDevice) {
  return guarded([&]() -> VkResult {
    Instance& instance = Instance::all().find(physicalDevice);
    VkLayerDeviceCreateInfo* const link = loader_link(pCreateInfo->pNext);
    if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
    const auto next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;  // the loader's own, and meant to be moved on

    const bool shares = names(*pCreateInfo, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) &&
                        instance.can_share(physicalDevice);
    const bool watched = OwnershipWatch::is_wanted() &&
                         names(*pCreateInfo, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) &&
                         instance.can_share(physicalDevice);
    VkDeviceCreateInfo create = *pCreateInfo;
    Chain chain(create.pNext);
    VkPhysicalDeviceTimelineSemaphoreFeatures features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr, VK_FALSE};
    std::vector<const char*> extensions;
    if (shares || watched) {
      extensions = extensions_for(instance, physicalDevice, create);
      create.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
      create.ppEnabledExtensionNames = extensions.data();
      enable_timelines(chain, features);
      create.pNext = chain.first();
    }
    const VkResult result =
        instance.next().CreateDevice(physicalDevice, &create, pAllocator, pDevice);
    if (result != VK_SUCCESS) return result;
    Device::all().add(key_of(*pDevice), std::make_unique<Device>(instance.handle(), *pDevice,
                                                                 shares, watched, next_device));
    set_exit_work(
        [] { Device::all().for_each([](Device& device) { device.semaphores().end_helpers(); }); });
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks* pAllocator) {
  if (!device) return;
  const auto found = Device::all().remove(key_of(device));
  found->end();
  found->next().DestroyDevice(device, pAllocator);
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer
