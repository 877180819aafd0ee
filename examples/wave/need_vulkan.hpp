// SPDX-License-Identifier: Apache-2.0
// NEED_VULKAN(call): ends the program with a sentence if a Vulkan call fails, as NEED does for
// CUDA's; and Owned, which destroys what such a call has created. Enough for an example.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#define NEED_VULKAN(call)                                                              \
  do {                                                                                 \
    if (const VkResult need_result = (call); need_result != VK_SUCCESS) {              \
      std::fprintf(stderr, "%s:%d: %s gives VkResult %d\n", __FILE__, __LINE__, #call, \
                   need_result);                                                       \
      std::exit(1);                                                                    \
    }                                                                                  \
  } while (0)

namespace wave {

[[noreturn]] inline void fail(const std::string& sentence) {
  std::fprintf(stderr, "wave: %s\n", sentence.c_str());
  std::exit(1);
}

// An object of a Vulkan device, or none yet. `create` and `destroy` are Vulkan's functions.
template <typename Handle, auto create, auto destroy>
class Owned {
 public:
  Owned() = default;
  template <typename CreateInfo>
  Owned(VkDevice device, const CreateInfo& info) : device_(device) {
    NEED_VULKAN(create(device, &info, nullptr, &handle_));
  }
  Owned(Owned&& other) noexcept { swap(other); }
  Owned& operator=(Owned&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Owned() {
    if (handle_) destroy(device_, handle_, nullptr);
  }

  operator Handle() const { return handle_; }
  const Handle* address() const { return &handle_; }

 private:
  void swap(Owned& other) {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
  }

  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_ = VK_NULL_HANDLE;
};

using Image = Owned<VkImage, vkCreateImage, vkDestroyImage>;
using ImageView = Owned<VkImageView, vkCreateImageView, vkDestroyImageView>;
using Buffer = Owned<VkBuffer, vkCreateBuffer, vkDestroyBuffer>;
using Memory = Owned<VkDeviceMemory, vkAllocateMemory, vkFreeMemory>;
using Fence = Owned<VkFence, vkCreateFence, vkDestroyFence>;
using Semaphore = Owned<VkSemaphore, vkCreateSemaphore, vkDestroySemaphore>;
using Shader = Owned<VkShaderModule, vkCreateShaderModule, vkDestroyShaderModule>;
using SetLayout =
    Owned<VkDescriptorSetLayout, vkCreateDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using DescriptorPool = Owned<VkDescriptorPool, vkCreateDescriptorPool, vkDestroyDescriptorPool>;
using PipelineLayout = Owned<VkPipelineLayout, vkCreatePipelineLayout, vkDestroyPipelineLayout>;
using CommandPool = Owned<VkCommandPool, vkCreateCommandPool, vkDestroyCommandPool>;

// Pipelines alone are created several at a time.
inline VkResult create_graphics_pipeline(VkDevice device, const VkGraphicsPipelineCreateInfo* info,
                                         const VkAllocationCallbacks* callbacks,
                                         VkPipeline* pipeline) {
  return vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, info, callbacks, pipeline);
}
using Pipeline = Owned<VkPipeline, create_graphics_pipeline, vkDestroyPipeline>;

}  // namespace wave
