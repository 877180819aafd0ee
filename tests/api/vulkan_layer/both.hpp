// SPDX-License-Identifier: Apache-2.0
// Semaphores that Vulkan has made and CUDA has imported, and the two ways to submit work.
#pragma once

#include "../driver/semaphores.hpp"
#include "vulkan.hpp"

inline CUexternalSemaphore import(Vulkan& vulkan, VkSemaphore semaphore, bool timeline) {
  CUexternalSemaphore imported = nullptr;
  EXPECT_EQ(import_fd(&imported, vulkan.fd_of(semaphore), timeline ? as_timeline : as_binary),
            CUDA_SUCCESS);
  return imported;
}

// A semaphore on both sides.
struct Both {
  Both(Vulkan& vulkan, bool timeline)
      : vulkan(vulkan), vk(vulkan.semaphore(timeline)), cuda(import(vulkan, vk, timeline)) {}
  ~Both() {
    EXPECT_EQ(cuDestroyExternalSemaphore(cuda), CUDA_SUCCESS);
    vulkan.destroy(vk);
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  Vulkan& vulkan;
  const VkSemaphore vk;
  const CUexternalSemaphore cuda;
};

// vkQueueSubmit or vkQueueSubmit2.
using Submit = VkResult (*)(Vulkan&, const std::vector<Vulkan::Point>& waits,
                            const std::vector<Vulkan::Point>& signals, VkCommandBuffer);
inline VkResult submit_1(Vulkan& vulkan, const std::vector<Vulkan::Point>& waits,
                         const std::vector<Vulkan::Point>& signals, VkCommandBuffer commands) {
  return vulkan.submit(waits, signals, commands);
}
inline VkResult submit_2(Vulkan& vulkan, const std::vector<Vulkan::Point>& waits,
                         const std::vector<Vulkan::Point>& signals, VkCommandBuffer commands) {
  return vulkan.submit_2(waits, signals, commands);
}
