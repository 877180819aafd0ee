// SPDX-License-Identifier: Apache-2.0
// TimelineValues: the values of timelines that a batch is submitted with, one for each semaphore.
// An application may omit the values of binary semaphores: they are 0 here.
//
// Threads: plain values.
#pragma once

#include <algorithm>
#include <vector>

#include "api/vulkan_layer/chain.hpp"

namespace cuvette::vulkan_layer {

struct TimelineValues {
  // Of a VkSubmitInfo or a VkBindSparseInfo.
  template <typename Info>
  static TimelineValues of(const Info& info) {
    VkTimelineSemaphoreSubmitInfo given{};
    if (const auto* const found = find_in_chain<VkTimelineSemaphoreSubmitInfo>(
            info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO))
      given = *found;
    return {all(info.waitSemaphoreCount, given.pWaitSemaphoreValues, given.waitSemaphoreValueCount),
            all(info.signalSemaphoreCount, given.pSignalSemaphoreValues,
                given.signalSemaphoreValueCount)};
  }

  // Points to the values here.
  VkTimelineSemaphoreSubmitInfo info() const {
    return {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            nullptr,
            static_cast<uint32_t>(waits.size()),
            waits.data(),
            static_cast<uint32_t>(signals.size()),
            signals.data()};
  }

  std::vector<uint64_t> waits, signals;

 private:
  static std::vector<uint64_t> all(uint32_t count, const uint64_t* given, uint32_t given_count) {
    std::vector<uint64_t> values(count, 0);
    if (given) std::copy_n(given, std::min(count, given_count), values.begin());
    return values;
  }
};

}  // namespace cuvette::vulkan_layer
