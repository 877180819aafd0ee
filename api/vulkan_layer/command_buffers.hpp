// SPDX-License-Identifier: Apache-2.0
// CommandBuffers: the transfers of ownership that a device's command buffers have recorded.
//
// Threads: any. The mutex is a leaf.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <unordered_map>

#include "api/vulkan_layer/transfer.hpp"
#include "sim/base/mutex.hpp"

namespace cuvette::vulkan_layer {

class CommandBuffers {
 public:
  void allocated(VkCommandPool pool, uint32_t count, const VkCommandBuffer* commands)
      EXCLUDES(mutex_);
  void freed(uint32_t count, const VkCommandBuffer* commands) EXCLUDES(mutex_);
  // Everything that was recorded is forgotten: by the command buffer, or by all of a pool.
  void reset(VkCommandBuffer commands) EXCLUDES(mutex_);
  void reset(VkCommandPool pool) EXCLUDES(mutex_);
  void destroyed(VkCommandPool pool) EXCLUDES(mutex_);

  void add(VkCommandBuffer commands, Transfer transfer) EXCLUDES(mutex_);
  void use_events(VkCommandBuffer commands) EXCLUDES(mutex_);
  // A primary command buffer executes a secondary one.
  void execute(VkCommandBuffer primary, VkCommandBuffer secondary) EXCLUDES(mutex_);

  // Appends what the command buffer has recorded.
  void append_to(Transfers& transfers, VkCommandBuffer commands) EXCLUDES(mutex_);

 private:
  struct Recorded {
    VkCommandPool pool = VK_NULL_HANDLE;
    Transfers transfers;
  };

  Mutex mutex_;
  std::unordered_map<VkCommandBuffer, Recorded> recorded_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::vulkan_layer
