// SPDX-License-Identifier: Apache-2.0
// Instance: a VkInstance that the layer is part of, and its physical devices.
//
// The layer works for devices made of software only. Memory of others is out of Cuvette's reach, so
// a program must not take one of them for CUDA's device.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "api/vulkan_layer/functions.hpp"
#include "api/vulkan_layer/registry.hpp"

namespace cuvette::vulkan_layer {

inline constexpr const char* layer_name = "VK_LAYER_CUVETTE_interop";

class Instance {
 public:
  Instance(VkInstance handle, uint32_t api_version, PFN_vkGetInstanceProcAddr next);

  static Registry<Instance>& all();

  VkInstance handle() const { return handle_; }
  const InstanceFunctions& next() const { return next_; }

  // Whether the layer can share semaphores of this device: it is made of software and has timeline
  // semaphores.
  bool can_share(VkPhysicalDevice device) const;
  // Whether the driver lists the extension.
  bool lists(VkPhysicalDevice device, std::string_view extension) const;
  // Whether timeline semaphores are there only if their extension is enabled.
  bool needs_timeline_extension(VkPhysicalDevice device) const;
  // Returns the UUID of the CUDA device that this one is; null if it is none.
  const std::array<uint8_t, 16>* cuda_uuid(VkPhysicalDevice device);

  std::vector<VkExtensionProperties> extensions(VkPhysicalDevice device) const;

 private:
  VkPhysicalDeviceProperties properties(VkPhysicalDevice device) const;

  const VkInstance handle_;
  const uint32_t api_version_;
  InstanceFunctions next_;
  std::once_flag listed_;
  std::vector<VkPhysicalDevice> software_;  // does not change once listed
};

}  // namespace cuvette::vulkan_layer
