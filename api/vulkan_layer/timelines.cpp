// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/timelines.hpp"

namespace cuvette::vulkan_layer {

VkResult Timelines::make(uint64_t initial, Timeline& timeline) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                 VK_SEMAPHORE_TYPE_TIMELINE, initial};
  const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  timeline.value = initial;
  return functions_.CreateSemaphore(device_, &create, nullptr, &timeline.semaphore);
}

VkResult Timelines::take(Timeline& timeline) {
  {
    MutexLock lock(mutex_);
    if (!free_.empty()) {
      timeline = free_.back();
      free_.pop_back();
      return VK_SUCCESS;
    }
  }
  return make(0, timeline);
}

void Timelines::give_back(Timeline timeline) {
  MutexLock lock(mutex_);
  free_.push_back(timeline);
}

void Timelines::retire(Timeline timeline) {
  MutexLock lock(mutex_);
  retired_.push_back(timeline);
}

void Timelines::destroy(Timeline timeline) {
  functions_.DestroySemaphore(device_, timeline.semaphore, nullptr);
}

void Timelines::destroy_all() {
  MutexLock lock(mutex_);
  for (const Timeline& timeline : free_) destroy(timeline);
  for (const Timeline& timeline : retired_) destroy(timeline);
  free_.clear();
  retired_.clear();
}

}  // namespace cuvette::vulkan_layer
