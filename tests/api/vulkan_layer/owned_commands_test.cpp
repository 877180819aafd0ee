// SPDX-License-Identifier: Apache-2.0
// Which commands of Vulkan's hand memory over. Runs with CUVETTE_CHECK=aliases.
#include "shared_buffer.hpp"

namespace {

// A command buffer is what was recorded last.
TEST(vkBeginCommandBuffer, ForgetsTransfers) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const VkCommandPoolCreateInfo create{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr,
                                       VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, 0};
  VK_OK(vkCreateCommandPool(vulkan.device, &create, nullptr, &vulkan.pool));
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  const VkCommandBuffer commands = recorded(vulkan, Way::acquire, shared.vk());
  Listener listener;
  for (int how = 0; how < 3; ++how) {
    if (how == 1) {
      VK_OK(vkResetCommandBuffer(commands, 0));
    }
    if (how == 2) {
      VK_OK(vkResetCommandPool(vulkan.device, vulkan.pool, 0));
    }
    VK_OK(vkBeginCommandBuffer(commands, &begin));
    run(vulkan, ended(commands));
    fill(shared.address);
    VK_OK(vkBeginCommandBuffer(commands, &begin));
    hand_over(commands, Way::acquire, shared.vk());
    VK_OK(vkEndCommandBuffer(commands));
  }
  EXPECT_EQ(listener.reports(), 0) << listener.text();
}

TEST(vkCmdExecuteCommands, TransfersWhatTheSecondaryDoes) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const VkCommandBuffer primary = vulkan.record();
  const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             nullptr, vulkan.pool,
                                             VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer secondary = VK_NULL_HANDLE;
  VK_OK(vkAllocateCommandBuffers(vulkan.device, &allocate, &secondary));
  VkCommandBufferInheritanceInfo inherited{};
  inherited.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.pInheritanceInfo = &inherited;
  VK_OK(vkBeginCommandBuffer(secondary, &begin));
  hand_over(secondary, Way::acquire, shared.vk());
  VK_OK(vkEndCommandBuffer(secondary));
  vkCmdExecuteCommands(primary, 1, &secondary);
  Listener listener;
  run(vulkan, ended(primary));
  fill(shared.address);
  EXPECT_EQ(listener.reports(), 1) << listener.text();
}

// The host knows by an event how far the commands have come, so nothing can be said.
TEST(vkCmdSetEvent, TellsTheHostEarly) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const VkEventCreateInfo create{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, 0};
  VkEvent event = VK_NULL_HANDLE;
  VK_OK(vkCreateEvent(vulkan.device, &create, nullptr, &event));
  const VkCommandBuffer commands = vulkan.record();
  hand_over(commands, Way::acquire, shared.vk());
  hand_over(commands, Way::release, shared.vk());
  vkCmdSetEvent(commands, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  Listener listener;
  VK_OK(vulkan.submit({}, {}, ended(commands)));
  while (vkGetEventStatus(vulkan.device, event) != VK_EVENT_SET) {
  }
  fill(shared.address);
  VK_OK(vkQueueWaitIdle(vulkan.queue));
  EXPECT_EQ(listener.reports(), 0) << listener.text();
  vkDestroyEvent(vulkan.device, event, nullptr);
}

TEST(vkCmdPipelineBarrier2, TransfersBuffers) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const auto barrier_2 = reinterpret_cast<PFN_vkCmdPipelineBarrier2>(
      vkGetDeviceProcAddr(vulkan.device, "vkCmdPipelineBarrier2"));
  VkBufferMemoryBarrier2 barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2;
  barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
  barrier.buffer = shared.vk();
  barrier.size = VK_WHOLE_SIZE;
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.bufferMemoryBarrierCount = 1;
  info.pBufferMemoryBarriers = &barrier;
  const VkCommandBuffer commands = vulkan.record();
  barrier_2(commands, &info);
  Listener listener;
  VK_OK(vulkan.submit_2({}, {}, ended(commands)));
  VK_OK(vkQueueWaitIdle(vulkan.queue));
  fill(shared.address);
  EXPECT_EQ(listener.reports(), 1) << listener.text();
}

}  // namespace
