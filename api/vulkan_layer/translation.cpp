// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/translation.hpp"

#include <utility>

namespace cuvette::vulkan_layer {

Translation::~Translation() {
  for (const Use& use : uses_) {
    if (use.waits) {
      use.shared->cancel_wait(use.point);
      device_.semaphores().wait_again(use.semaphore, use.shared);
    } else {
      use.shared->cancel_signal(use.point);
    }
  }
}

VkResult Translation::wait(VkSemaphore& semaphore, uint64_t& value) {
  uses_.reserve(uses_.size() + 1);  // nothing may fail once something was added
  SharedRef shared = device_.semaphores().find_for_wait(semaphore);
  if (!shared) return VK_SUCCESS;
  Use use{semaphore, std::move(shared), {}, true};
  if (const VkResult failure = use.shared->add_wait(value, use.point); failure != VK_SUCCESS) {
    device_.semaphores().wait_again(semaphore, use.shared);
    return failure;
  }
  semaphore = use.point.semaphore;
  value = use.point.value;
  uses_.push_back(std::move(use));
  return VK_SUCCESS;
}

VkResult Translation::signal(VkSemaphore& semaphore, uint64_t& value) {
  uses_.reserve(uses_.size() + 1);
  SharedRef shared = device_.semaphores().find(semaphore);
  if (!shared) return VK_SUCCESS;
  Use use{semaphore, std::move(shared), {}, false};
  if (const VkResult failure = use.shared->add_signal(value, use.point); failure != VK_SUCCESS)
    return failure;
  semaphore = use.point.semaphore;
  value = use.point.value;
  uses_.push_back(std::move(use));
  return VK_SUCCESS;
}

}  // namespace cuvette::vulkan_layer
