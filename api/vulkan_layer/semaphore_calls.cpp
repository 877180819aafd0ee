// SPDX-License-Identifier: Apache-2.0
// Semaphores: made, destroyed, exported, imported, and used by the host.
#include <deque>
#include <vector>

#include "api/vulkan_layer/chain.hpp"
#include "api/vulkan_layer/entry_points.hpp"

namespace cuvette::vulkan_layer::entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice device,
                                               const VkSemaphoreCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks* pAllocator,
                                               VkSemaphore* pSemaphore) {
  return guarded([&]() -> VkResult {
    Device& found = Device::all().find(device);
    if (!found.shares())
      return found.next().CreateSemaphore(device, pCreateInfo, pAllocator, pSemaphore);
    const auto* const type = find_in_chain<VkSemaphoreTypeCreateInfo>(
        pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const auto* const wanted = find_in_chain<VkExportSemaphoreCreateInfo>(
        pCreateInfo->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
    const bool timeline = type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
    const bool shared =
        wanted && (wanted->handleTypes & VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);

    VkSemaphoreCreateInfo create = *pCreateInfo;
    VkSemaphoreTypeCreateInfo plain_type;
    if (shared) {
      // The driver's own is a place holder: it has the type, and cannot be exported.
      create.pNext = nullptr;
      if (type) {
        plain_type = *type;
        plain_type.pNext = nullptr;
        create.pNext = &plain_type;
      }
    }
    const VkResult result = found.next().CreateSemaphore(device, &create, pAllocator, pSemaphore);
    if (result != VK_SUCCESS) return result;
    const VkResult failure =
        found.semaphores().add(*pSemaphore, timeline ? Kind::timeline : Kind::binary,
                               timeline ? type->initialValue : 0, shared);
    if (failure != VK_SUCCESS) found.next().DestroySemaphore(device, *pSemaphore, pAllocator);
    return failure;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                            const VkAllocationCallbacks* pAllocator) {
  Device& found = Device::all().find(device);
  if (found.shares() && semaphore) found.semaphores().remove(semaphore);
  found.next().DestroySemaphore(device, semaphore, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreFdKHR(VkDevice device,
                                                 const VkSemaphoreGetFdInfoKHR* pGetFdInfo,
                                                 int* pFd) {
  Device& found = Device::all().find(device);
  if (!found.shares() || pGetFdInfo->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT)
    return found.next().GetSemaphoreFdKHR ? found.next().GetSemaphoreFdKHR(device, pGetFdInfo, pFd)
                                          : VK_ERROR_INVALID_EXTERNAL_HANDLE;
  return guarded([&] { return found.semaphores().export_fd(pGetFdInfo->semaphore, pFd); });
}

VKAPI_ATTR VkResult VKAPI_CALL
ImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR* pImportSemaphoreFdInfo) {
  Device& found = Device::all().find(device);
  const VkImportSemaphoreFdInfoKHR& info = *pImportSemaphoreFdInfo;
  if (!found.shares() || info.handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT)
    return found.next().ImportSemaphoreFdKHR ? found.next().ImportSemaphoreFdKHR(device, &info)
                                             : VK_ERROR_INVALID_EXTERNAL_HANDLE;
  return guarded([&] {
    return found.semaphores().import_fd(info.semaphore, info.fd,
                                        info.flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore,
                                                        uint64_t* pValue) {
  Device& found = Device::all().find(device);
  const SharedRef shared = found.shares() ? found.semaphores().find(semaphore) : nullptr;
  if (!shared) return found.next().GetSemaphoreCounterValue(device, semaphore, pValue);
  *pValue = shared->value();
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL SignalSemaphore(VkDevice device,
                                               const VkSemaphoreSignalInfo* pSignalInfo) {
  Device& found = Device::all().find(device);
  const SharedRef shared =
      found.shares() ? found.semaphores().find(pSignalInfo->semaphore) : nullptr;
  return shared ? shared->signal(pSignalInfo->value)
                : found.next().SignalSemaphore(device, pSignalInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* pWaitInfo,
                                              uint64_t timeout) {
  return guarded([&]() -> VkResult {
    Device& found = Device::all().find(device);
    if (!found.shares()) return found.next().WaitSemaphores(device, pWaitInfo, timeout);
    struct Use {
      SharedRef shared;
      SharedSemaphore::Point point;
    };
    std::vector<VkSemaphore> semaphores(pWaitInfo->pSemaphores,
                                        pWaitInfo->pSemaphores + pWaitInfo->semaphoreCount);
    std::vector<uint64_t> values(pWaitInfo->pValues,
                                 pWaitInfo->pValues + pWaitInfo->semaphoreCount);
    // The waits are no longer needed once this call has returned, whether they have ended or not.
    struct Uses : std::vector<Use> {
      ~Uses() {
        for (const Use& use : *this) use.shared->cancel_wait(use.point);
      }
    } uses;
    for (size_t i = 0; i < semaphores.size(); ++i) {
      Use use{found.semaphores().find(semaphores[i]), {}};
      if (!use.shared) continue;
      if (const VkResult failure = use.shared->add_wait(values[i], use.point);
          failure != VK_SUCCESS)
        return failure;
      semaphores[i] = use.point.semaphore;
      values[i] = use.point.value;
      uses.push_back(std::move(use));
    }
    VkSemaphoreWaitInfo wait = *pWaitInfo;
    wait.pSemaphores = semaphores.data();
    wait.pValues = values.data();
    const VkResult result = found.next().WaitSemaphores(device, &wait, timeout);
    if (result == VK_SUCCESS) found.semaphores().publish();
    return result;
  });
}

}  // namespace cuvette::vulkan_layer::entry
