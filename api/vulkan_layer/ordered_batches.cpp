// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/ordered_batches.hpp"

#include <algorithm>
#include <utility>

namespace cuvette::vulkan_layer {
namespace {

constexpr VkPipelineStageFlags everything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

Transfers transfers_of(OwnershipWatch& watch, const VkSubmitInfo& info) {
  Transfers all;
  for (uint32_t i = 0; i < info.commandBufferCount; ++i)
    watch.commands.append_to(all, info.pCommandBuffers[i]);
  return all;
}
Transfers transfers_of(OwnershipWatch& watch, const VkSubmitInfo2& info) {
  Transfers all;
  for (uint32_t i = 0; i < info.commandBufferInfoCount; ++i)
    watch.commands.append_to(all, info.pCommandBufferInfos[i].commandBuffer);
  return all;
}

// Whether nothing is chained to the batch that would have to be taken apart with it: which device
// of a group waits for what, say.
bool is_plain(const VkSubmitInfo& info) {
  for (auto* one = static_cast<const VkBaseInStructure*>(info.pNext); one; one = one->pNext)
    if (one->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) return false;
  return true;
}
bool is_plain(const VkSubmitInfo2& info) { return !info.pNext; }

VkTimelineSemaphoreSubmitInfo chained(uint32_t waits, const uint64_t* wait_values, uint32_t signals,
                                      const uint64_t* signal_values) {
  return {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
          nullptr,
          waits,
          wait_values,
          signals,
          signal_values};
}

void append_parts(std::vector<VkSubmitInfo>& batches, BatchLists& lists, const VkSubmitInfo& info) {
  lists.values = TimelineValues::of(info);
  // At least one, for the waits of the layer's own.
  lists.stages.assign(std::max(info.waitSemaphoreCount, 1u), everything);
  lists.infos[0] = chained(info.waitSemaphoreCount, lists.values.waits.data(), 1, &lists.started);
  lists.infos[1] = chained(1, &lists.started, 1, &lists.ended);
  lists.infos[2] = chained(1, &lists.ended, info.signalSemaphoreCount, lists.values.signals.data());
  batches.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO, &lists.infos[0], info.waitSemaphoreCount,
                     info.pWaitSemaphores, lists.stages.data(), 0, nullptr, 1, &lists.timeline});
  batches.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO, &lists.infos[1], 1, &lists.timeline,
                     lists.stages.data(), info.commandBufferCount, info.pCommandBuffers, 1,
                     &lists.timeline});
  batches.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO, &lists.infos[2], 1, &lists.timeline,
                     lists.stages.data(), 0, nullptr, info.signalSemaphoreCount,
                     info.pSignalSemaphores});
}

void append_parts(std::vector<VkSubmitInfo2>& batches, BatchLists& lists,
                  const VkSubmitInfo2& info) {
  const auto point = [&](uint64_t value) {
    return VkSemaphoreSubmitInfo{
        VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, lists.timeline, value,
        VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
  };
  VkSemaphoreSubmitInfo &started = lists.points[0], &ended = lists.points[1];
  started = point(lists.started);
  ended = point(lists.ended);
  batches.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, info.flags,
                     info.waitSemaphoreInfoCount, info.pWaitSemaphoreInfos, 0, nullptr, 1,
                     &started});
  batches.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, info.flags, 1, &started,
                     info.commandBufferInfoCount, info.pCommandBufferInfos, 1, &ended});
  batches.push_back({VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, info.flags, 1, &ended, 0, nullptr,
                     info.signalSemaphoreInfoCount, info.pSignalSemaphoreInfos});
}

}  // namespace

template <typename Info>
OrderedBatches<Info>::~OrderedBatches() {
  for (const Ownership::Order& order : orders_) device_.watch()->ownership.cancel(order);
}

template <typename Info>
bool OrderedBatches<Info>::any(Device& device, uint32_t count, const Info* infos) {
  OwnershipWatch* const watch = device.watch();
  return watch && std::any_of(infos, infos + count, [&](const Info& one) {
           return !transfers_of(*watch, one).list.empty();
         });
}

template <typename Info>
VkResult OrderedBatches<Info>::add(const Info& info) {
  OwnershipWatch* const watch = device_.watch();
  Transfers transfers = watch ? transfers_of(*watch, info) : Transfers{};
  if (transfers.list.empty() || transfers.uses_events || !is_plain(info)) {
    Ownership::give_up(transfers);
    batches_.push_back(info);
    return VK_SUCCESS;
  }
  orders_.reserve(orders_.size() + 1);  // nothing may fail once it was added
  Ownership::Order order;
  if (const VkResult failure = watch->ownership.add(queue_, std::move(transfers), place_, order);
      failure != VK_SUCCESS)
    return failure;
  orders_.push_back(order);
  BatchLists& lists = lists_.emplace_back();
  lists.timeline = order.timeline;
  lists.started = order.started;
  lists.ended = order.ended;
  append_parts(batches_, lists, info);
  return VK_SUCCESS;
}

template class OrderedBatches<VkSubmitInfo>;
template class OrderedBatches<VkSubmitInfo2>;

}  // namespace cuvette::vulkan_layer
