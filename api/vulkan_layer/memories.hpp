// SPDX-License-Identifier: Apache-2.0
// Memories: which bytes of which memory a device's buffers and images are bound to, and in which
// file that memory lies, if it has been exported or imported.
//
// Threads: any. The mutex is a leaf.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sim/base/mutex.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::vulkan_layer {

// A VkDeviceMemory, also after it was freed.
class FollowedMemory {
 public:
  // Its file, once that is known. It never changes.
  std::optional<os::Segment::Identity> file() const;
  void set_file(os::Segment::Identity file);

  // Nothing more is said about it: it was freed, or it cannot be known who owns it.
  void give_up() { given_up_ = true; }
  bool given_up() const { return given_up_; }

 private:
  std::atomic<uint64_t> device_{0}, inode_{0};
  std::atomic<bool> given_up_{false};
};
using FollowedRef = std::shared_ptr<FollowedMemory>;

// Bytes of a memory.
struct MemoryRange {
  FollowedRef memory;
  uint64_t begin = 0, end = 0;
  bool exact = true;  // false: a part of them, which one is not known
};

class Memories {
 public:
  void allocated(VkDeviceMemory memory) EXCLUDES(mutex_);
  void freed(VkDeviceMemory memory) EXCLUDES(mutex_);
  // The memory lies in this file.
  void lies_in(VkDeviceMemory memory, os::Segment::Identity file) EXCLUDES(mutex_);

  void created(VkImage image, const VkImageCreateInfo& create) EXCLUDES(mutex_);
  bool knows(VkImage image) EXCLUDES(mutex_);
  void destroyed(VkImage image) EXCLUDES(mutex_);
  void destroyed(VkBuffer buffer) EXCLUDES(mutex_);

  void bound(VkBuffer buffer, VkDeviceMemory memory, uint64_t offset, uint64_t size)
      EXCLUDES(mutex_);
  void bound(VkImage image, VkDeviceMemory memory, uint64_t offset, uint64_t size) EXCLUDES(mutex_);

  // Return where a part of a buffer, or of an image, lies; none if it is not known.
  std::optional<MemoryRange> find(VkBuffer buffer, uint64_t offset, uint64_t size) EXCLUDES(mutex_);
  std::optional<MemoryRange> find(VkImage image, const VkImageSubresourceRange& part)
      EXCLUDES(mutex_);

 private:
  struct Image {
    uint32_t levels, layers;
    MemoryRange range;  // without memory until it is bound
  };
  FollowedRef memory_of(VkDeviceMemory memory) REQUIRES(mutex_);

  Mutex mutex_;
  std::unordered_map<VkDeviceMemory, FollowedRef> memories_ GUARDED_BY(mutex_);
  std::unordered_map<VkBuffer, MemoryRange> buffers_ GUARDED_BY(mutex_);
  std::unordered_map<VkImage, Image> images_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::vulkan_layer
