// SPDX-License-Identifier: Apache-2.0
// Submitting work: shared semaphores are translated, and batches that transfer the ownership of
// memory which is watched are taken apart. Everything else goes to the driver as it is.
#include <deque>
#include <vector>

#include "api/vulkan_layer/chain.hpp"
#include "api/vulkan_layer/entry_points.hpp"
#include "api/vulkan_layer/ordered_batches.hpp"
#include "api/vulkan_layer/timeline_values.hpp"
#include "api/vulkan_layer/translation.hpp"

namespace cuvette::vulkan_layer {
namespace {

// The arrays of a translated VkSubmitInfo or VkBindSparseInfo.
struct Lists {
  explicit Lists(const void* application) : chain(application) {}

  std::vector<VkSemaphore> waits, signals;
  TimelineValues values;
  std::vector<VkPipelineStageFlags> stages;  // where the application has named none
  VkTimelineSemaphoreSubmitInfo info{};
  Chain chain;
};

// Vulkan requires a stage for each wait. Some programs name none, which a GPU's driver forgives;
// drivers made of software crash, with the layer in the backtrace.
void name_stages(VkSubmitInfo& info, Lists& lists) {
  if (info.pWaitDstStageMask || info.waitSemaphoreCount == 0) return;
  lists.stages.assign(info.waitSemaphoreCount, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  info.pWaitDstStageMask = lists.stages.data();
}
void name_stages(VkBindSparseInfo&, Lists&) {}

template <typename Info>
VkResult translate(Info& info, Translation& translation, std::deque<Lists>& kept) {
  Lists& lists = kept.emplace_back(info.pNext);
  name_stages(info, lists);
  lists.waits.assign(info.pWaitSemaphores, info.pWaitSemaphores + info.waitSemaphoreCount);
  lists.signals.assign(info.pSignalSemaphores, info.pSignalSemaphores + info.signalSemaphoreCount);
  lists.values = TimelineValues::of(info);

  const size_t before = translation.count();
  for (size_t i = 0; i < lists.waits.size(); ++i) {
    const VkResult failure = translation.wait(lists.waits[i], lists.values.waits[i]);
    if (failure != VK_SUCCESS) return failure;
  }
  for (size_t i = 0; i < lists.signals.size(); ++i) {
    const VkResult failure = translation.signal(lists.signals[i], lists.values.signals[i]);
    if (failure != VK_SUCCESS) return failure;
  }
  if (translation.count() == before) return VK_SUCCESS;

  lists.info = lists.values.info();
  lists.chain.remove(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  lists.chain.prepend(lists.info);
  info.pNext = lists.chain.first();
  info.pWaitSemaphores = lists.waits.data();
  info.pSignalSemaphores = lists.signals.data();
  return VK_SUCCESS;
}

// The same for vkQueueSubmit2, where each semaphore has its own structure.
struct Lists2 {
  std::vector<VkSemaphoreSubmitInfo> waits, signals;
};

VkResult translate(VkSubmitInfo2& info, Translation& translation, std::deque<Lists2>& kept) {
  Lists2& lists = kept.emplace_back();
  lists.waits.assign(info.pWaitSemaphoreInfos,
                     info.pWaitSemaphoreInfos + info.waitSemaphoreInfoCount);
  lists.signals.assign(info.pSignalSemaphoreInfos,
                       info.pSignalSemaphoreInfos + info.signalSemaphoreInfoCount);
  for (VkSemaphoreSubmitInfo& one : lists.waits)
    if (const VkResult failure = translation.wait(one.semaphore, one.value); failure != VK_SUCCESS)
      return failure;
  for (VkSemaphoreSubmitInfo& one : lists.signals)
    if (const VkResult failure = translation.signal(one.semaphore, one.value);
        failure != VK_SUCCESS)
      return failure;
  info.pWaitSemaphoreInfos = lists.waits.data();
  info.pSignalSemaphoreInfos = lists.signals.data();
  return VK_SUCCESS;
}

// Submits batches with semaphores of the driver's, in the order that the watch needs.
template <typename Info, typename Submit>
VkResult submit_in_order(Device& device, VkQueue queue, uint32_t count, const Info* infos,
                         VkFence fence, Submit next, const void* place) {
  if (!OrderedBatches<Info>::any(device, count, infos)) return next(queue, count, infos, fence);
  OrderedBatches<Info> ordered(device, queue, place);
  for (uint32_t i = 0; i < count; ++i)
    if (const VkResult failure = ordered.add(infos[i]); failure != VK_SUCCESS) return failure;
  const auto& batches = ordered.batches();
  const VkResult result = next(queue, static_cast<uint32_t>(batches.size()), batches.data(), fence);
  if (result == VK_SUCCESS) ordered.keep();
  return result;
}
// Sparse bindings have no commands.
VkResult submit_in_order(Device&, VkQueue queue, uint32_t count, const VkBindSparseInfo* infos,
                         VkFence fence, PFN_vkQueueBindSparse next, const void*) {
  return next(queue, count, infos, fence);
}

template <typename ListsOf, typename Info, typename Submit>
VkResult submit(VkQueue queue, uint32_t count, const Info* infos, VkFence fence,
                Submit DeviceFunctions::*next, const void* place) {
  return entry::guarded([&]() -> VkResult {
    Device& device = Device::all().find(queue);
    const Submit driver = device.next().*next;
    if (!device.shares() || !device.semaphores().any_shared())
      return submit_in_order(device, queue, count, infos, fence, driver, place);
    std::vector<Info> translated(infos, infos + count);
    std::deque<ListsOf> kept;
    Translation translation(device);
    for (Info& info : translated)
      if (const VkResult failure = translate(info, translation, kept); failure != VK_SUCCESS)
        return failure;
    const VkResult result =
        submit_in_order(device, queue, count, translated.data(), fence, driver, place);
    if (result == VK_SUCCESS) translation.keep();
    return result;
  });
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t submitCount,
                                           const VkSubmitInfo* pSubmits, VkFence fence) {
  return submit<Lists>(queue, submitCount, pSubmits, fence, &DeviceFunctions::QueueSubmit,
                       __builtin_return_address(0));
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, uint32_t submitCount,
                                            const VkSubmitInfo2* pSubmits, VkFence fence) {
  return submit<Lists2>(queue, submitCount, pSubmits, fence, &DeviceFunctions::QueueSubmit2,
                        __builtin_return_address(0));
}

VKAPI_ATTR VkResult VKAPI_CALL QueueBindSparse(VkQueue queue, uint32_t bindInfoCount,
                                               const VkBindSparseInfo* pBindInfo, VkFence fence) {
  return submit<Lists>(queue, bindInfoCount, pBindInfo, fence, &DeviceFunctions::QueueBindSparse,
                       __builtin_return_address(0));
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer
