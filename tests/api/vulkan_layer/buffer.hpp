// SPDX-License-Identifier: Apache-2.0
// Buffers of a Vulkan device whose memory is exported, or which the host looks into.
#pragma once

#include "vulkan.hpp"

// Memory that the host can look into, or that is exported, too.
inline VkDeviceMemory memory_for(Vulkan& vulkan, const VkMemoryRequirements& needed,
                                 bool exported) {
  const VkExportMemoryAllocateInfo as_fd{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr,
                                         VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      exported ? &as_fd : nullptr, needed.size,
                                      vulkan.host_visible_type(needed.memoryTypeBits)};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VK_EXPECT(vkAllocateMemory(vulkan.device, &allocate, nullptr, &memory));
  return memory;
}

// A new descriptor of exported memory.
inline int fd_of(const Vulkan& vulkan, VkDeviceMemory memory) {
  const auto get = reinterpret_cast<PFN_vkGetMemoryFdKHR>(
      vkGetDeviceProcAddr(vulkan.device, "vkGetMemoryFdKHR"));
  const VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory,
                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  int fd = -1;
  VK_EXPECT(get(vulkan.device, &info, &fd));
  return fd;
}

// A buffer with memory of its own.
class Buffer {
 public:
  // `exported`: fd() gives descriptors of its memory. Otherwise data() is the host's view.
  Buffer(Vulkan& vulkan, VkDeviceSize size, bool exported) : vulkan_(vulkan) {
    const VkExternalMemoryBufferCreateInfo external{
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkBufferCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    create.pNext = exported ? &external : nullptr;
    create.size = size;
    create.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VK_EXPECT(vkCreateBuffer(vulkan.device, &create, nullptr, &buffer));
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(vulkan.device, buffer, &needed);
    memory_ = memory_for(vulkan, needed, exported);
    VK_EXPECT(vkBindBufferMemory(vulkan.device, buffer, memory_, 0));
    memory_size = needed.size;
    if (exported) return;
    VK_EXPECT(vkMapMemory(vulkan.device, memory_, 0, VK_WHOLE_SIZE, 0, &data_));
  }
  ~Buffer() {
    vkDeviceWaitIdle(vulkan_.device);
    vkDestroyBuffer(vulkan_.device, buffer, nullptr);
    vkFreeMemory(vulkan_.device, memory_, nullptr);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // A new descriptor of an exported buffer's memory.
  int fd() const { return fd_of(vulkan_, memory_); }
  void* data() const { return data_; }

  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize memory_size = 0;

 private:
  Vulkan& vulkan_;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  void* data_ = nullptr;
};

// Four bytes that a queue sets to a number.
class Mark {
 public:
  explicit Mark(Vulkan& vulkan) : vulkan_(vulkan), buffer_(vulkan, 4, false) {
    *static_cast<uint32_t*>(buffer_.data()) = 0;
  }

  // Returns commands that set it.
  VkCommandBuffer set(uint32_t number) {
    const VkCommandBuffer commands = vulkan_.record();
    vkCmdFillBuffer(commands, buffer_.buffer, 0, 4, number);
    VK_EXPECT(vkEndCommandBuffer(commands));
    return commands;
  }
  uint32_t value() const { return *static_cast<volatile uint32_t*>(buffer_.data()); }

 private:
  Vulkan& vulkan_;
  const Buffer buffer_;
};

// What a device that exports memory and semaphores is made with.
inline Options exporting() {
  Options options;
  options.extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  return options;
}
