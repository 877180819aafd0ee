// SPDX-License-Identifier: Apache-2.0
// Translation: puts the layer's own timelines in the places of shared semaphores, for one call that
// submits work. If the call fails, what was added is taken back.
//
// Threads: a value of one thread.
#pragma once

#include <vector>

#include "api/vulkan_layer/device.hpp"

namespace cuvette::vulkan_layer {

class Translation {
 public:
  explicit Translation(Device& device) : device_(device) {}
  ~Translation();
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;

  // If the semaphore is shared, replaces it and the value to wait for.
  VkResult wait(VkSemaphore& semaphore, uint64_t& value);
  VkResult signal(VkSemaphore& semaphore, uint64_t& value);

  // Whether anything was replaced.
  bool any() const { return !uses_.empty(); }
  size_t count() const { return uses_.size(); }
  // The call has succeeded: what was added counts.
  void keep() { uses_.clear(); }

 private:
  struct Use {
    VkSemaphore semaphore;  // the application's
    SharedRef shared;
    SharedSemaphore::Point point;
    bool waits;
  };

  Device& device_;
  std::vector<Use> uses_;
};

}  // namespace cuvette::vulkan_layer
