// SPDX-License-Identifier: Apache-2.0
// Presentation takes binary semaphores of the driver, so where a shared one is given, the host
// waits in its place: before an image is presented, and until one that was acquired is free.
#include <vector>

#include "api/vulkan_layer/entry_points.hpp"
#include "api/vulkan_layer/translation.hpp"

namespace cuvette::vulkan_layer {
namespace {

// A fence of the application's, or one for the length of a call.
class FenceToWaitFor {
 public:
  FenceToWaitFor(Device& device, VkFence given) : device_(device), fence_(given) {
    if (fence_) return;
    const VkFenceCreateInfo create{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    failure_ = device.next().CreateFence(device.handle(), &create, nullptr, &fence_);
    own_ = failure_ == VK_SUCCESS;
  }
  ~FenceToWaitFor() {
    if (own_) device_.next().DestroyFence(device_.handle(), fence_, nullptr);
  }
  FenceToWaitFor(const FenceToWaitFor&) = delete;
  FenceToWaitFor& operator=(const FenceToWaitFor&) = delete;

  VkResult failure() const { return failure_; }
  VkFence fence() const { return fence_; }
  VkResult wait() {
    return device_.next().WaitForFences(device_.handle(), 1, &fence_, VK_TRUE, UINT64_MAX);
  }

 private:
  Device& device_;
  VkFence fence_;
  VkResult failure_ = VK_SUCCESS;
  bool own_ = false;
};

// Acquires an image by `acquire(semaphore, fence)`.
template <typename Acquire>
VkResult acquire_image(Device& device, VkSemaphore semaphore, VkFence fence,
                       const Acquire& acquire) {
  return entry::guarded([&]() -> VkResult {
    const SharedRef shared =
        device.shares() && semaphore ? device.semaphores().find(semaphore) : nullptr;
    if (!shared) return acquire(semaphore, fence);
    FenceToWaitFor acquired(device, fence);
    if (acquired.failure() != VK_SUCCESS) return acquired.failure();
    const VkResult result = acquire(VK_NULL_HANDLE, acquired.fence());
    if (result != VK_SUCCESS && result != VK_SUBOPTIMAL_KHR) return result;
    if (const VkResult failure = acquired.wait(); failure != VK_SUCCESS) return failure;
    const VkResult failure = shared->signal(1);
    return failure == VK_SUCCESS ? result : failure;
  });
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL QueuePresentKHR(VkQueue queue,
                                               const VkPresentInfoKHR* pPresentInfo) {
  return guarded([&]() -> VkResult {
    Device& found = Device::all().find(queue);
    if (!found.shares() || !found.semaphores().any_shared())
      return found.next().QueuePresentKHR(queue, pPresentInfo);
    Translation translation(found);
    std::vector<VkSemaphore> plain, shared;
    std::vector<uint64_t> values;
    for (uint32_t i = 0; i < pPresentInfo->waitSemaphoreCount; ++i) {
      VkSemaphore semaphore = pPresentInfo->pWaitSemaphores[i];
      uint64_t value = 0;
      if (const VkResult failure = translation.wait(semaphore, value); failure != VK_SUCCESS)
        return failure;
      if (semaphore == pPresentInfo->pWaitSemaphores[i]) {
        plain.push_back(semaphore);
      } else {
        shared.push_back(semaphore);
        values.push_back(value);
      }
    }
    if (shared.empty()) return found.next().QueuePresentKHR(queue, pPresentInfo);
    const VkSemaphoreWaitInfo wait{
        VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr,       0,
        static_cast<uint32_t>(shared.size()),  shared.data(), values.data()};
    const VkResult waited = found.next().WaitSemaphores(found.handle(), &wait, UINT64_MAX);
    if (waited != VK_SUCCESS) return waited;
    translation.keep();  // the waits are over even if the image is not presented
    VkPresentInfoKHR present = *pPresentInfo;
    present.waitSemaphoreCount = static_cast<uint32_t>(plain.size());
    present.pWaitSemaphores = plain.data();
    return found.next().QueuePresentKHR(queue, &present);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain,
                                                   uint64_t timeout, VkSemaphore semaphore,
                                                   VkFence fence, uint32_t* pImageIndex) {
  Device& found = Device::all().find(device);
  return acquire_image(found, semaphore, fence, [&](VkSemaphore signalled, VkFence acquired) {
    return found.next().AcquireNextImageKHR(device, swapchain, timeout, signalled, acquired,
                                            pImageIndex);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL AcquireNextImage2KHR(VkDevice device,
                                                    const VkAcquireNextImageInfoKHR* pAcquireInfo,
                                                    uint32_t* pImageIndex) {
  Device& found = Device::all().find(device);
  return acquire_image(found, pAcquireInfo->semaphore, pAcquireInfo->fence,
                       [&](VkSemaphore signalled, VkFence acquired) {
                         VkAcquireNextImageInfoKHR info = *pAcquireInfo;
                         info.semaphore = signalled;
                         info.fence = acquired;
                         return found.next().AcquireNextImage2KHR(device, &info, pImageIndex);
                       });
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer
