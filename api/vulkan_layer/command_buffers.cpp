// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/command_buffers.hpp"

#include <utility>

namespace cuvette::vulkan_layer {

void CommandBuffers::allocated(VkCommandPool pool, uint32_t count,
                               const VkCommandBuffer* commands) {
  MutexLock lock(mutex_);
  for (uint32_t i = 0; i < count; ++i) recorded_[commands[i]] = {pool, {}};
}

void CommandBuffers::freed(uint32_t count, const VkCommandBuffer* commands) {
  MutexLock lock(mutex_);
  for (uint32_t i = 0; i < count; ++i) recorded_.erase(commands[i]);
}

void CommandBuffers::reset(VkCommandBuffer commands) {
  MutexLock lock(mutex_);
  recorded_[commands].transfers = {};
}

void CommandBuffers::reset(VkCommandPool pool) {
  MutexLock lock(mutex_);
  for (auto& [commands, recorded] : recorded_)
    if (recorded.pool == pool) recorded.transfers = {};
}

void CommandBuffers::destroyed(VkCommandPool pool) {
  MutexLock lock(mutex_);
  std::erase_if(recorded_, [&](const auto& one) { return one.second.pool == pool; });
}

void CommandBuffers::add(VkCommandBuffer commands, Transfer transfer) {
  MutexLock lock(mutex_);
  recorded_[commands].transfers.list.push_back(std::move(transfer));
}

void CommandBuffers::use_events(VkCommandBuffer commands) {
  MutexLock lock(mutex_);
  recorded_[commands].transfers.uses_events = true;
}

void CommandBuffers::execute(VkCommandBuffer primary, VkCommandBuffer secondary) {
  MutexLock lock(mutex_);
  Recorded& to = recorded_[primary];
  const auto from = recorded_.find(secondary);
  if (from != recorded_.end()) to.transfers.append(from->second.transfers);
}

void CommandBuffers::append_to(Transfers& transfers, VkCommandBuffer commands) {
  MutexLock lock(mutex_);
  const auto found = recorded_.find(commands);
  if (found != recorded_.end()) transfers.append(found->second.transfers);
}

}  // namespace cuvette::vulkan_layer
