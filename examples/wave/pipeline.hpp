// SPDX-License-Identifier: Apache-2.0
// WaterPipeline: what Vulkan has to know to draw with the shaders screen.vert and water.frag.
#pragma once

#include "examples/wave/need_vulkan.hpp"

namespace wave {

class WaterPipeline {
 public:
  // Draws `heights`, in the layout that is read by fragments, into images of this format and size.
  WaterPipeline(VkDevice device, VkImageView heights, VkFormat format, VkExtent2D extent);

  // Records drawing the whole picture, while rendering is going on.
  void draw(VkCommandBuffer commands) const;

 private:
  void describe_heights(VkDevice device, VkImageView heights);
  void create(VkDevice device, VkFormat format, VkExtent2D extent);

  SetLayout set_layout_;
  DescriptorPool pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  PipelineLayout layout_;
  Pipeline pipeline_;
};

}  // namespace wave
