// SPDX-License-Identifier: Apache-2.0
// Timelines: timeline semaphores of the driver that the application never sees.
//
// A queue may look at a timeline for a moment after it has been signalled, so one that was in use
// is used again or kept; it is destroyed with the device.
//
// Threads: any.
#pragma once

#include <vector>

#include "api/vulkan_layer/functions.hpp"
#include "sim/base/mutex.hpp"

namespace cuvette::vulkan_layer {

struct Timeline {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;
};

class Timelines {
 public:
  Timelines(VkDevice device, const DeviceFunctions& functions)
      : device_(device), functions_(functions) {}

  // Makes a timeline with this value.
  VkResult make(uint64_t initial, Timeline& timeline);
  // Gives one with any value.
  VkResult take(Timeline& timeline) EXCLUDES(mutex_);
  // Takes back one that has this value and on which nothing is pending.
  void give_back(Timeline timeline) EXCLUDES(mutex_);
  // Keeps one that queues may still look at.
  void retire(Timeline timeline) EXCLUDES(mutex_);
  // Destroys a timeline after its last use.
  void destroy(Timeline timeline);
  // Destroys all that were given back or retired: the device is idle.
  void destroy_all() EXCLUDES(mutex_);

 private:
  const VkDevice device_;
  const DeviceFunctions& functions_;
  Mutex mutex_;
  std::vector<Timeline> free_ GUARDED_BY(mutex_);
  std::vector<Timeline> retired_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::vulkan_layer
