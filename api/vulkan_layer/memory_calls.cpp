// SPDX-License-Identifier: Apache-2.0
// Memory, buffers and images of devices that are watched: where they lie is noted, and nothing is
// changed.
#include "api/vulkan_layer/chain.hpp"
#include "api/vulkan_layer/entry_points.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::vulkan_layer {

using entry::follow;

namespace {

void follow_binding(const Device& device, VkBuffer buffer, VkDeviceMemory memory, uint64_t offset) {
  follow(device, [&](OwnershipWatch& watch) {
    VkMemoryRequirements needed;
    device.next().GetBufferMemoryRequirements(device.handle(), buffer, &needed);
    watch.memories.bound(buffer, memory, offset, needed.size);
  });
}

void follow_binding(const Device& device, VkImage image, VkDeviceMemory memory, uint64_t offset) {
  follow(device, [&](OwnershipWatch& watch) {
    if (!watch.memories.knows(image)) return;
    VkMemoryRequirements needed;
    device.next().GetImageMemoryRequirements(device.handle(), image, &needed);
    watch.memories.bound(image, memory, offset, needed.size);
  });
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device,
                                              const VkMemoryAllocateInfo* pAllocateInfo,
                                              const VkAllocationCallbacks* pAllocator,
                                              VkDeviceMemory* pMemory) {
  const Device& found = Device::all().find(device);
  // Read first: the driver closes the descriptor.
  os::Segment::Identity file{};
  const auto* const import = find_in_chain<VkImportMemoryFdInfoKHR>(
      pAllocateInfo->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
  if (import && import->handleType) file = os::identity_of_fd(import->fd);
  const VkResult result = found.next().AllocateMemory(device, pAllocateInfo, pAllocator, pMemory);
  if (result == VK_SUCCESS)
    follow(found, [&](OwnershipWatch& watch) {
      watch.memories.allocated(*pMemory);
      if (file.inode != 0) watch.memories.lies_in(*pMemory, file);
    });
  return result;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory,
                                      const VkAllocationCallbacks* pAllocator) {
  const Device& found = Device::all().find(device);
  follow(found, [&](OwnershipWatch& watch) { watch.memories.freed(memory); });
  found.next().FreeMemory(device, memory, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdKHR(VkDevice device,
                                              const VkMemoryGetFdInfoKHR* pGetFdInfo, int* pFd) {
  const Device& found = Device::all().find(device);
  const VkResult result = found.next().GetMemoryFdKHR(device, pGetFdInfo, pFd);
  if (result == VK_SUCCESS)
    follow(found, [&](OwnershipWatch& watch) {
      watch.memories.lies_in(pGetFdInfo->memory, os::identity_of_fd(*pFd));
    });
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice device, const VkImageCreateInfo* pCreateInfo,
                                           const VkAllocationCallbacks* pAllocator,
                                           VkImage* pImage) {
  const Device& found = Device::all().find(device);
  const VkResult result = found.next().CreateImage(device, pCreateInfo, pAllocator, pImage);
  if (result == VK_SUCCESS)
    follow(found, [&](OwnershipWatch& watch) { watch.memories.created(*pImage, *pCreateInfo); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyImage(VkDevice device, VkImage image,
                                        const VkAllocationCallbacks* pAllocator) {
  const Device& found = Device::all().find(device);
  follow(found, [&](OwnershipWatch& watch) { watch.memories.destroyed(image); });
  found.next().DestroyImage(device, image, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice device, VkBuffer buffer,
                                         const VkAllocationCallbacks* pAllocator) {
  const Device& found = Device::all().find(device);
  follow(found, [&](OwnershipWatch& watch) { watch.memories.destroyed(buffer); });
  found.next().DestroyBuffer(device, buffer, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice device, VkBuffer buffer,
                                                VkDeviceMemory memory, VkDeviceSize memoryOffset) {
  const Device& found = Device::all().find(device);
  const VkResult result = found.next().BindBufferMemory(device, buffer, memory, memoryOffset);
  if (result == VK_SUCCESS) follow_binding(found, buffer, memory, memoryOffset);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice device, uint32_t bindInfoCount,
                                                 const VkBindBufferMemoryInfo* pBindInfos) {
  const Device& found = Device::all().find(device);
  const VkResult result = found.next().BindBufferMemory2(device, bindInfoCount, pBindInfos);
  for (uint32_t i = 0; result == VK_SUCCESS && i < bindInfoCount; ++i)
    follow_binding(found, pBindInfos[i].buffer, pBindInfos[i].memory, pBindInfos[i].memoryOffset);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory(VkDevice device, VkImage image,
                                               VkDeviceMemory memory, VkDeviceSize memoryOffset) {
  const Device& found = Device::all().find(device);
  const VkResult result = found.next().BindImageMemory(device, image, memory, memoryOffset);
  if (result == VK_SUCCESS) follow_binding(found, image, memory, memoryOffset);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory2(VkDevice device, uint32_t bindInfoCount,
                                                const VkBindImageMemoryInfo* pBindInfos) {
  const Device& found = Device::all().find(device);
  const VkResult result = found.next().BindImageMemory2(device, bindInfoCount, pBindInfos);
  for (uint32_t i = 0; result == VK_SUCCESS && i < bindInfoCount; ++i)
    follow_binding(found, pBindInfos[i].image, pBindInfos[i].memory, pBindInfos[i].memoryOffset);
  return result;
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer
