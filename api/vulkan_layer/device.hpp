// SPDX-License-Identifier: Apache-2.0
// Device: a VkDevice that the layer is part of. It shares semaphores if the application has enabled
// VK_KHR_external_semaphore_fd and the driver can do what that needs. Its memory is watched if
// CUVETTE_CHECK=aliases wants that, and the application has enabled VK_KHR_external_memory_fd.
// Otherwise all calls go to the driver as they are.
//
// Threads: any.
#pragma once

#include <memory>

#include "api/vulkan_layer/functions.hpp"
#include "api/vulkan_layer/ownership_watch.hpp"
#include "api/vulkan_layer/registry.hpp"
#include "api/vulkan_layer/semaphore_table.hpp"
#include "api/vulkan_layer/threads.hpp"
#include "api/vulkan_layer/timelines.hpp"

namespace cuvette::vulkan_layer {

class Device {
 public:
  Device(VkInstance instance, VkDevice handle, bool shares, bool watched,
         PFN_vkGetDeviceProcAddr next)
      : instance_(instance), handle_(handle), shares_(shares) {
    next_.load(handle, next);
    if (watched) watch_ = OwnershipWatch::make(handle, next_, timelines_);
  }

  static Registry<Device>& all();

  VkInstance instance() const { return instance_; }
  VkDevice handle() const { return handle_; }
  const DeviceFunctions& next() const { return next_; }
  // False in a child of fork(), too: the helpers are gone, as are the driver's own threads.
  bool shares() const { return shares_ && !is_forked(); }
  SemaphoreTable& semaphores() { return semaphores_; }
  // The ownership of its memory that is tracked; null if none is. Null in a child of fork(), too.
  OwnershipWatch* watch() const { return is_forked() ? nullptr : watch_.get(); }

  // Ends everything that is pending and gives back what the layer has made. The device, which the
  // application has left idle, is destroyed next.
  void end();

 private:
  const VkInstance instance_;
  const VkDevice handle_;
  const bool shares_;
  DeviceFunctions next_;
  Timelines timelines_{handle_, next_};
  SemaphoreHome home_{handle_, next_, timelines_};
  SemaphoreTable semaphores_{home_};
  std::shared_ptr<OwnershipWatch> watch_;
};

}  // namespace cuvette::vulkan_layer
