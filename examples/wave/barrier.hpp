// SPDX-License-Identifier: Apache-2.0
// barrier(): commands before it are done with an image before commands after it begin, and in
// between it changes its layout, or its owner.
#pragma once

#include <vulkan/vulkan.h>

namespace wave {

// `what` says everything but which image it is.
inline void barrier(VkCommandBuffer commands, VkImage image, VkImageMemoryBarrier2 what) {
  what.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
  what.image = image;
  what.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  const VkDependencyInfo dependency{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                    .imageMemoryBarrierCount = 1,
                                    .pImageMemoryBarriers = &what};
  vkCmdPipelineBarrier2(commands, &dependency);
}

}  // namespace wave
