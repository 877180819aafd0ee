// SPDX-License-Identifier: Apache-2.0
// OrderedBatches: what one call submits, so that Ownership can see how far the queue has come. A
// batch with transfers of ownership becomes three:
//
//   the program's waits,       and the timeline's first value is signalled
//   the program's commands,    and its second value is
//   the program's signals,     after a wait for that
//
// So a thread that waits for one of the program's signals, or for the fence, which goes with the
// last batch, sees that the commands are over. Each part waits for the one before it, which also
// keeps drivers from putting them together again.
//
// Threads: a value of one thread.
#pragma once

#include <deque>
#include <vector>

#include "api/vulkan_layer/device.hpp"
#include "api/vulkan_layer/timeline_values.hpp"

namespace cuvette::vulkan_layer {

// The arrays that the parts of a batch point to.
struct BatchLists {
  VkSemaphore timeline = VK_NULL_HANDLE;
  uint64_t started = 0, ended = 0;
  std::vector<VkPipelineStageFlags> stages;
  TimelineValues values;  // the program's
  VkTimelineSemaphoreSubmitInfo infos[3] = {};
  VkSemaphoreSubmitInfo points[2] = {};
};

template <typename Info>
class OrderedBatches {
 public:
  // `place`: where the program submits.
  OrderedBatches(Device& device, VkQueue queue, const void* place)
      : device_(device), queue_(queue), place_(place) {}
  // Takes back what was added, unless it was kept.
  ~OrderedBatches();
  OrderedBatches(const OrderedBatches&) = delete;
  OrderedBatches& operator=(const OrderedBatches&) = delete;

  // Whether any of these has transfers of ownership, so that they have to be added.
  static bool any(Device& device, uint32_t count, const Info* infos);

  // Adds a batch, in parts if it has transfers. The arrays that it points to must outlive the call.
  VkResult add(const Info& info);
  const std::vector<Info>& batches() const { return batches_; }
  // They have been submitted.
  void keep() { orders_.clear(); }

 private:
  Device& device_;
  const VkQueue queue_;
  const void* const place_;
  std::vector<Info> batches_;
  std::deque<BatchLists> lists_;
  std::vector<Ownership::Order> orders_;
};

}  // namespace cuvette::vulkan_layer
