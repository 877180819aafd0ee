// SPDX-License-Identifier: Apache-2.0
// SharedImage: an image of one float for each pixel, made by Vulkan and imported by CUDA. The bytes
// are there once.
#pragma once

#include <cuda.h>

#include "examples/wave/device.hpp"
#include "examples/wave/need_vulkan.hpp"

namespace wave {

// What commands do with an image, and which layout it has to have for that.
struct ImageUse {
  VkPipelineStageFlags2 stage;
  VkAccessFlags2 access;
  VkImageLayout layout;
};
inline constexpr ImageUse read_by_fragments{VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                            VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
                                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};

class SharedImage {
 public:
  static constexpr VkFormat format = VK_FORMAT_R32_SFLOAT;

  SharedImage(const Device& device, uint32_t width, uint32_t height, VkImageUsageFlags usage);
  ~SharedImage();
  SharedImage(const SharedImage&) = delete;
  SharedImage& operator=(const SharedImage&) = delete;

  VkImage image() const { return image_; }
  VkExtent2D extent() const { return extent_; }
  // The image as kernels write to it.
  CUsurfObject surface() const { return surface_; }

  // An image belongs to one family of queues at a time, and CUDA counts as one. Record these before
  // and after what uses the image; semaphores say when the other side has done its part.
  void take_from_cuda(VkCommandBuffer commands, const ImageUse& use) const;
  void give_to_cuda(VkCommandBuffer commands, const ImageUse& use) const;
  // The first time, when there is nothing in it yet.
  void give_to_cuda_empty(VkCommandBuffer commands) const;

 private:
  void create_image(VkImageUsageFlags usage);
  void import_into_cuda();

  const Device& device_;
  const VkExtent2D extent_;
  Image image_;
  Memory memory_;
  VkDeviceSize size_ = 0;
  bool dedicated_ = false;
  CUexternalMemory imported_ = nullptr;
  CUmipmappedArray levels_ = nullptr;
  CUsurfObject surface_ = 0;
};

}  // namespace wave
