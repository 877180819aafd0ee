// SPDX-License-Identifier: Apache-2.0
// Vulkan images with exportable memory of their own, and copies between them and the host.
#pragma once

#include <algorithm>

#include "external.hpp"

struct ImageShape {
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  unsigned element = 4;  // bytes
  unsigned width = 1, height = 1, depth = 1;
  unsigned levels = 1, layers = 1;
  VkImageType type = VK_IMAGE_TYPE_2D;
  bool cube = false;

  unsigned bytes(unsigned level) const {
    const auto at = [&](unsigned extent) { return std::max(1u, extent >> level); };
    return element * at(width) * at(height) * at(depth) * layers;
  }
};

struct SharedImage {
  ImageShape shape;
  VkImage image;
  VkDeviceMemory memory;
  VkDeviceSize size;
};

inline SharedImage shared_image(const ImageShape& shape, VkDeviceSize more = 0) {
  SharedImage result{shape, VK_NULL_HANDLE, VK_NULL_HANDLE, 0};
  VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkImageCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, &external};
  create.flags = shape.cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
  create.imageType = shape.type;
  create.format = shape.format;
  create.extent = {shape.width, shape.height, shape.depth};
  create.mipLevels = shape.levels;
  create.arrayLayers = shape.layers;
  create.samples = VK_SAMPLE_COUNT_1_BIT;
  create.tiling = VK_IMAGE_TILING_OPTIMAL;
  create.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  VKN(vkCreateImage(vk.dev, &create, nullptr, &result.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(vk.dev, result.image, &needs);
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.image = result.image;
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                      more == 0 ? &dedicated : nullptr};
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported};
  allocate.allocationSize = result.size = needs.size + more;
  allocate.memoryTypeIndex = type_index(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  VKN(vkAllocateMemory(vk.dev, &allocate, nullptr, &result.memory));
  VKN(vkBindImageMemory(vk.dev, result.image, result.memory, 0));
  return result;
}

inline CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC describe(const ImageShape& shape,
                                                          CUarray_format format,
                                                          unsigned channels) {
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description;
  memset(&description, 0, sizeof description);
  CUDA_ARRAY3D_DESCRIPTOR& array = description.arrayDesc;
  array.Width = shape.width;
  array.Height = shape.type == VK_IMAGE_TYPE_1D ? 0 : shape.height;
  if (shape.type == VK_IMAGE_TYPE_3D) array.Depth = shape.depth;
  if (shape.layers > 1) array.Depth = shape.layers;
  if (shape.cube) array.Flags |= CUDA_ARRAY3D_CUBEMAP;
  if (shape.layers > 1 && (!shape.cube || shape.layers > 6)) array.Flags |= CUDA_ARRAY3D_LAYERED;
  array.Format = format;
  array.NumChannels = channels;
  description.numLevels = shape.levels;
  return description;
}

// A byte that depends on its place.
inline unsigned char byte_of(unsigned level, unsigned at, unsigned seed) {
  return static_cast<unsigned char>((at * 7 + (at >> 8) * 13 + level * 101 + seed) & 0xff);
}

// Moves the image's levels from or to a buffer that holds them one after the other.
class Staging {
 public:
  explicit Staging(const SharedImage& image) : image_(image) {
    VkDeviceSize size = 0;
    for (unsigned level = 0; level < image.shape.levels; ++level) size += places(level);
    buffer_ = shared_buffer(
        size, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    void* mapped = nullptr;
    VKN(vkMapMemory(vk.dev, buffer_.mem, 0, VK_WHOLE_SIZE, 0, &mapped));
    bytes_ = static_cast<unsigned char*>(mapped);
  }

  void write(unsigned seed) {
    unsigned begin = 0;
    for (unsigned level = 0; level < image_.shape.levels; begin += places(level++))
      for (unsigned at = 0; at < image_.shape.bytes(level); ++at)
        bytes_[begin + at] = byte_of(level, at, seed);
    const VkCommandBuffer commands = ::begin();
    change(commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const auto regions = this->regions();
    vkCmdCopyBufferToImage(commands, buffer_.buf, image_.image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                           static_cast<uint32_t>(regions.size()), regions.data());
    change(commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    submit(commands, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, false);
  }

  // Returns how many bytes are not as write() has left them.
  unsigned wrong(unsigned seed) {
    unsigned begin = 0, count = 0;
    std::fill_n(bytes_, buffer_.size, 0);
    const VkCommandBuffer commands = ::begin();
    change(commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const auto regions = this->regions();
    vkCmdCopyImageToBuffer(commands, image_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           buffer_.buf, static_cast<uint32_t>(regions.size()), regions.data());
    submit(commands, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, false);
    for (unsigned level = 0; level < image_.shape.levels; begin += places(level++))
      for (unsigned at = 0; at < image_.shape.bytes(level); ++at)
        count += bytes_[begin + at] != byte_of(level, at, seed);
    return count;
  }

 private:
  // Buffers' offsets of copies are multiples of elements and of 4.
  unsigned places(unsigned level) const { return (image_.shape.bytes(level) + 15) / 16 * 16; }

  std::vector<VkBufferImageCopy> regions() const {
    std::vector<VkBufferImageCopy> result;
    unsigned begin = 0;
    for (unsigned level = 0; level < image_.shape.levels; begin += places(level++)) {
      VkBufferImageCopy region{};
      region.bufferOffset = begin;
      region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, image_.shape.layers};
      region.imageExtent = {std::max(1u, image_.shape.width >> level),
                            std::max(1u, image_.shape.height >> level),
                            std::max(1u, image_.shape.depth >> level)};
      result.push_back(region);
    }
    return result;
  }

  void change(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) const {
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = barrier.dstAccessMask =
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image_.image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, image_.shape.levels, 0,
                                image_.shape.layers};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
  }

  const SharedImage image_;
  Shared buffer_;
  unsigned char* bytes_ = nullptr;
};
