// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/memories.hpp"

#include <algorithm>

namespace cuvette::vulkan_layer {
namespace {

// Whether `count` of something from `first` on are all that there are.
bool is_all(uint32_t first, uint32_t count, uint32_t all) {
  return first == 0 && count >= all;  // VK_REMAINING_* is the largest number
}

constexpr VkImageAspectFlags single_planes =
    VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;

}  // namespace

std::optional<os::Segment::Identity> FollowedMemory::file() const {
  const uint64_t inode = inode_.load(std::memory_order_acquire);
  if (inode == 0) return std::nullopt;
  return os::Segment::Identity{device_.load(std::memory_order_relaxed), inode};
}

void FollowedMemory::set_file(os::Segment::Identity file) {
  device_.store(file.device, std::memory_order_relaxed);
  inode_.store(file.inode, std::memory_order_release);
}

void Memories::allocated(VkDeviceMemory memory) {
  MutexLock lock(mutex_);
  memories_[memory] = std::make_shared<FollowedMemory>();
}

void Memories::freed(VkDeviceMemory memory) {
  MutexLock lock(mutex_);
  const auto found = memories_.find(memory);
  if (found == memories_.end()) return;
  found->second->give_up();
  memories_.erase(found);
}

FollowedRef Memories::memory_of(VkDeviceMemory memory) {
  const auto found = memories_.find(memory);
  return found == memories_.end() ? nullptr : found->second;
}

void Memories::lies_in(VkDeviceMemory memory, os::Segment::Identity file) {
  MutexLock lock(mutex_);
  if (const FollowedRef found = memory_of(memory)) found->set_file(file);
}

void Memories::created(VkImage image, const VkImageCreateInfo& create) {
  // The planes of such an image may lie anywhere.
  if (create.flags & VK_IMAGE_CREATE_DISJOINT_BIT) return;
  MutexLock lock(mutex_);
  images_[image] = {create.mipLevels, create.arrayLayers, {}};
}

bool Memories::knows(VkImage image) {
  MutexLock lock(mutex_);
  return images_.contains(image);
}

void Memories::destroyed(VkImage image) {
  MutexLock lock(mutex_);
  images_.erase(image);
}

void Memories::destroyed(VkBuffer buffer) {
  MutexLock lock(mutex_);
  buffers_.erase(buffer);
}

void Memories::bound(VkBuffer buffer, VkDeviceMemory memory, uint64_t offset, uint64_t size) {
  MutexLock lock(mutex_);
  if (const FollowedRef found = memory_of(memory))
    buffers_[buffer] = {found, offset, offset + size};
}

void Memories::bound(VkImage image, VkDeviceMemory memory, uint64_t offset, uint64_t size) {
  MutexLock lock(mutex_);
  const auto known = images_.find(image);
  if (known == images_.end()) return;
  if (const FollowedRef found = memory_of(memory))
    known->second.range = {found, offset, offset + size};
}

std::optional<MemoryRange> Memories::find(VkBuffer buffer, uint64_t offset, uint64_t size) {
  MutexLock lock(mutex_);
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) return std::nullopt;
  MemoryRange range = found->second;
  const uint64_t all = range.end - range.begin, first = std::min(offset, all);
  range.end = range.begin + first + std::min(size, all - first);  // VK_WHOLE_SIZE is the largest
  range.begin += first;
  return range;
}

std::optional<MemoryRange> Memories::find(VkImage image, const VkImageSubresourceRange& part) {
  MutexLock lock(mutex_);
  const auto found = images_.find(image);
  if (found == images_.end() || !found->second.range.memory) return std::nullopt;
  MemoryRange range = found->second.range;
  range.exact = is_all(part.baseMipLevel, part.levelCount, found->second.levels) &&
                is_all(part.baseArrayLayer, part.layerCount, found->second.layers) &&
                !(part.aspectMask & single_planes);
  return range;
}

}  // namespace cuvette::vulkan_layer
