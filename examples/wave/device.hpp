// SPDX-License-Identifier: Apache-2.0
// Device: one GPU, as Vulkan and CUDA each see it.
#pragma once

#include <cuda.h>
#include <vulkan/vulkan.h>

#include <string>

namespace wave {

class Device {
 public:
  // Finds a GPU that both know and opens it; its CUDA context becomes current. Ends the program
  // with a sentence if there is none, or if it cannot share what this program shares.
  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  operator VkDevice() const { return device_; }
  VkPhysicalDevice physical() const { return physical_; }
  uint32_t queue_family() const { return queue_family_; }
  VkQueue queue() const { return queue_; }
  const std::string& name_in_vulkan() const { return name_in_vulkan_; }
  const std::string& name_in_cuda() const { return name_in_cuda_; }

  // Returns a type of memory, one of those whose bits are set in `allowed`, with these properties.
  uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags wanted) const;

  // Returns a file descriptor to give away.
  int export_fd(VkDeviceMemory memory) const;
  int export_fd(VkSemaphore semaphore) const;

 private:
  void create_instance();
  void find_gpu();
  bool open_in_cuda(const uint8_t* uuid);
  void check_extensions() const;
  void create_device();

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  CUdevice cuda_ = 0;
  std::string name_in_vulkan_, name_in_cuda_;
  PFN_vkGetMemoryFdKHR get_memory_fd_ = nullptr;
  PFN_vkGetSemaphoreFdKHR get_semaphore_fd_ = nullptr;
};

}  // namespace wave
