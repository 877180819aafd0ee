// SPDX-License-Identifier: Apache-2.0
// A buffer that Vulkan and CUDA both use, and barriers that hand it over.
#pragma once

#include <optional>

#include "../driver/shared_segment.hpp"
#include "buffer.hpp"

class SharedBuffer {
 public:
  static constexpr size_t size = 65536;

  explicit SharedBuffer(Vulkan& vulkan)
      : buffer_(vulkan, size, true), memory_(import(buffer_.fd(), size)) {
    address = map(memory_, 0, size);
  }
  ~SharedBuffer() {
    EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
    EXPECT_EQ(cuDestroyExternalMemory(memory_), CUDA_SUCCESS);
  }
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  VkBuffer vk() const { return buffer_.buffer; }

  CUdeviceptr address = 0;

 private:
  const Buffer buffer_;
  const CUexternalMemory memory_;
};

// Has CUDA fill memory. Inlined, so that each call is a place of its own.
[[gnu::always_inline]] inline void fill(CUdeviceptr address, size_t bytes = SharedBuffer::size) {
  EXPECT_EQ(cuMemsetD8(address, 7, bytes), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

enum class Way { acquire, release };

// Records a barrier by which Vulkan acquires a part of a buffer, or releases it.
inline void hand_over(VkCommandBuffer commands, Way way, VkBuffer buffer, VkDeviceSize offset = 0,
                      VkDeviceSize size = VK_WHOLE_SIZE,
                      uint32_t others = VK_QUEUE_FAMILY_EXTERNAL) {
  const bool acquire = way == Way::acquire;
  VkBufferMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  (acquire ? barrier.dstAccessMask : barrier.srcAccessMask) = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.srcQueueFamilyIndex = acquire ? others : 0;
  barrier.dstQueueFamilyIndex = acquire ? 0 : others;
  barrier.buffer = buffer;
  barrier.offset = offset;
  barrier.size = size;
  vkCmdPipelineBarrier(
      commands, acquire ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
      acquire ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0,
      nullptr, 1, &barrier, 0, nullptr);
}

inline VkCommandBuffer ended(VkCommandBuffer commands) {
  VK_EXPECT(vkEndCommandBuffer(commands));
  return commands;
}

// Commands that hand over all of a buffer, one way or the other.
inline VkCommandBuffer recorded(Vulkan& vulkan, Way way, VkBuffer buffer) {
  const VkCommandBuffer commands = vulkan.record();
  hand_over(commands, way, buffer);
  return ended(commands);
}

// Commands that acquire a buffer, fill it and release it.
inline VkCommandBuffer turn(Vulkan& vulkan, VkBuffer buffer, uint32_t number) {
  const VkCommandBuffer commands = vulkan.record();
  hand_over(commands, Way::acquire, buffer);
  vkCmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, number);
  hand_over(commands, Way::release, buffer);
  return ended(commands);
}

// Submits and waits with a fence.
inline void run(Vulkan& vulkan, VkCommandBuffer commands) {
  const VkFenceCreateInfo create{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  VK_EXPECT(vkCreateFence(vulkan.device, &create, nullptr, &fence));
  VK_EXPECT(vulkan.submit({}, {}, commands, fence));
  VK_EXPECT(vkWaitForFences(vulkan.device, 1, &fence, VK_TRUE, UINT64_MAX));
  vkDestroyFence(vulkan.device, fence, nullptr);
}

// What goes to stderr while it lives.
class Listener {
 public:
  Listener() { testing::internal::CaptureStderr(); }
  ~Listener() {
    if (!text_) testing::internal::GetCapturedStderr();
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  const std::string& text() {
    if (!text_) text_ = testing::internal::GetCapturedStderr();
    return *text_;
  }
  // How many reports of memory that Vulkan owns there were.
  int reports() {
    int count = 0;
    for (size_t at = 0; (at = text().find("[owned-by-vulkan] ", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }

 private:
  std::optional<std::string> text_;
};
