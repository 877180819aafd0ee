// SPDX-License-Identifier: Apache-2.0
// Command buffers of devices that are watched: their transfers of ownership are noted, and nothing
// is changed.
#include <optional>

#include "api/vulkan_layer/entry_points.hpp"

namespace cuvette::vulkan_layer {

using entry::follow;

namespace {

bool is_outside(uint32_t family) {
  return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

template <typename Barrier>
std::optional<Transfer::Kind> kind_of(const Barrier& barrier) {
  const bool from = is_outside(barrier.srcQueueFamilyIndex);
  if (from == is_outside(barrier.dstQueueFamilyIndex)) return std::nullopt;
  return from ? Transfer::Kind::acquire : Transfer::Kind::release;
}

// The bytes that a barrier of a buffer or of an image hands over.
template <typename Barrier>
auto range_of(Memories& memories, const Barrier& barrier) {
  if constexpr (requires { barrier.buffer; })
    return memories.find(barrier.buffer, barrier.offset, barrier.size);
  else
    return memories.find(barrier.image, barrier.subresourceRange);
}

template <typename Barrier>
void follow_barriers(const Device& device, VkCommandBuffer commands, uint32_t count,
                     const Barrier* barriers) {
  for (uint32_t i = 0; i < count; ++i) {
    const Barrier& one = barriers[i];
    if (const auto kind = kind_of(one))
      follow(device, [&](OwnershipWatch& watch) {
        if (auto range = range_of(watch.memories, one))
          watch.commands.add(commands, {*kind, std::move(*range)});
      });
  }
}

void follow_event(const Device& device, VkCommandBuffer commands) {
  follow(device, [&](OwnershipWatch& watch) { watch.commands.use_events(commands); });
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL
AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* pAllocateInfo,
                       VkCommandBuffer* pCommandBuffers) {
  const Device& found = Device::all().find(device);
  const VkResult result =
      found.next().AllocateCommandBuffers(device, pAllocateInfo, pCommandBuffers);
  if (result == VK_SUCCESS)
    follow(found, [&](OwnershipWatch& watch) {
      watch.commands.allocated(pAllocateInfo->commandPool, pAllocateInfo->commandBufferCount,
                               pCommandBuffers);
    });
  return result;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice device, VkCommandPool commandPool,
                                              uint32_t commandBufferCount,
                                              const VkCommandBuffer* pCommandBuffers) {
  const Device& found = Device::all().find(device);
  follow(found,
         [&](OwnershipWatch& watch) { watch.commands.freed(commandBufferCount, pCommandBuffers); });
  found.next().FreeCommandBuffers(device, commandPool, commandBufferCount, pCommandBuffers);
}

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer commandBuffer,
                                                  const VkCommandBufferBeginInfo* pBeginInfo) {
  const Device& found = Device::all().find(commandBuffer);
  follow(found, [&](OwnershipWatch& watch) { watch.commands.reset(commandBuffer); });
  return found.next().BeginCommandBuffer(commandBuffer, pBeginInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer commandBuffer,
                                                  VkCommandBufferResetFlags flags) {
  const Device& found = Device::all().find(commandBuffer);
  follow(found, [&](OwnershipWatch& watch) { watch.commands.reset(commandBuffer); });
  return found.next().ResetCommandBuffer(commandBuffer, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice device, VkCommandPool commandPool,
                                                VkCommandPoolResetFlags flags) {
  const Device& found = Device::all().find(device);
  follow(found, [&](OwnershipWatch& watch) { watch.commands.reset(commandPool); });
  return found.next().ResetCommandPool(device, commandPool, flags);
}

VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice device, VkCommandPool commandPool,
                                              const VkAllocationCallbacks* pAllocator) {
  const Device& found = Device::all().find(device);
  if (commandPool)
    follow(found, [&](OwnershipWatch& watch) { watch.commands.destroyed(commandPool); });
  found.next().DestroyCommandPool(device, commandPool, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL CmdPipelineBarrier(
    VkCommandBuffer commandBuffer, VkPipelineStageFlags srcStageMask,
    VkPipelineStageFlags dstStageMask, VkDependencyFlags dependencyFlags,
    uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
    uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
    uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  const Device& found = Device::all().find(commandBuffer);
  follow_barriers(found, commandBuffer, bufferMemoryBarrierCount, pBufferMemoryBarriers);
  follow_barriers(found, commandBuffer, imageMemoryBarrierCount, pImageMemoryBarriers);
  found.next().CmdPipelineBarrier(commandBuffer, srcStageMask, dstStageMask, dependencyFlags,
                                  memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                                  pBufferMemoryBarriers, imageMemoryBarrierCount,
                                  pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL CmdPipelineBarrier2(VkCommandBuffer commandBuffer,
                                               const VkDependencyInfo* pDependencyInfo) {
  const Device& found = Device::all().find(commandBuffer);
  const VkDependencyInfo& info = *pDependencyInfo;
  follow_barriers(found, commandBuffer, info.bufferMemoryBarrierCount, info.pBufferMemoryBarriers);
  follow_barriers(found, commandBuffer, info.imageMemoryBarrierCount, info.pImageMemoryBarriers);
  found.next().CmdPipelineBarrier2(commandBuffer, pDependencyInfo);
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteCommands(VkCommandBuffer commandBuffer,
                                              uint32_t commandBufferCount,
                                              const VkCommandBuffer* pCommandBuffers) {
  const Device& found = Device::all().find(commandBuffer);
  follow(found, [&](OwnershipWatch& watch) {
    for (uint32_t i = 0; i < commandBufferCount; ++i)
      watch.commands.execute(commandBuffer, pCommandBuffers[i]);
  });
  found.next().CmdExecuteCommands(commandBuffer, commandBufferCount, pCommandBuffers);
}

VKAPI_ATTR void VKAPI_CALL CmdSetEvent(VkCommandBuffer commandBuffer, VkEvent event,
                                       VkPipelineStageFlags stageMask) {
  const Device& found = Device::all().find(commandBuffer);
  follow_event(found, commandBuffer);
  found.next().CmdSetEvent(commandBuffer, event, stageMask);
}

VKAPI_ATTR void VKAPI_CALL CmdSetEvent2(VkCommandBuffer commandBuffer, VkEvent event,
                                        const VkDependencyInfo* pDependencyInfo) {
  const Device& found = Device::all().find(commandBuffer);
  follow_event(found, commandBuffer);
  found.next().CmdSetEvent2(commandBuffer, event, pDependencyInfo);
}

VKAPI_ATTR void VKAPI_CALL
CmdWaitEvents(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent* pEvents,
              VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
              uint32_t memoryBarrierCount, const VkMemoryBarrier* pMemoryBarriers,
              uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier* pBufferMemoryBarriers,
              uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier* pImageMemoryBarriers) {
  const Device& found = Device::all().find(commandBuffer);
  follow_event(found, commandBuffer);
  found.next().CmdWaitEvents(commandBuffer, eventCount, pEvents, srcStageMask, dstStageMask,
                             memoryBarrierCount, pMemoryBarriers, bufferMemoryBarrierCount,
                             pBufferMemoryBarriers, imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL CmdWaitEvents2(VkCommandBuffer commandBuffer, uint32_t eventCount,
                                          const VkEvent* pEvents,
                                          const VkDependencyInfo* pDependencyInfos) {
  const Device& found = Device::all().find(commandBuffer);
  follow_event(found, commandBuffer);
  found.next().CmdWaitEvents2(commandBuffer, eventCount, pEvents, pDependencyInfos);
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer
