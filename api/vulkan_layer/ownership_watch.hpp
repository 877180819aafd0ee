// SPDX-License-Identifier: Apache-2.0
// OwnershipWatch: everything that is followed of a device with CUVETTE_CHECK=aliases, to know which
// memory Vulkan owns. libcuda in the same process asks, and reports
// (sim/check/order/owned_by_vulkan).
//
// Threads: any. Lock order: the list's mutex, alone.
#pragma once

#include <memory>

#include "api/vulkan_layer/command_buffers.hpp"
#include "api/vulkan_layer/memories.hpp"
#include "api/vulkan_layer/ownership.hpp"

namespace cuvette::vulkan_layer {

class OwnershipWatch {
 public:
  // Whether the check is wanted.
  static bool is_wanted();
  // Makes one that libcuda asks until end() is called.
  static std::shared_ptr<OwnershipWatch> make(VkDevice device, const DeviceFunctions& functions,
                                              Timelines& timelines);
  // Calls `each` for all that Vulkan owns, of all devices.
  static void owned(void (*each)(void* context, const interop::OwnedRange* range), void* context);

  Memories memories;
  CommandBuffers commands;
  Ownership ownership;

  // The device, which is idle, is destroyed next.
  void end();

  OwnershipWatch(VkDevice device, const DeviceFunctions& functions, Timelines& timelines)
      : ownership(device, functions, timelines) {}
};

}  // namespace cuvette::vulkan_layer
