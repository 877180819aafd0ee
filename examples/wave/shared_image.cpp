// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/shared_image.hpp"

#include <cstring>

#include "examples/need.hpp"
#include "examples/wave/barrier.hpp"

namespace wave {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits as_fd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

// Between its turns the image is in this layout.
constexpr VkImageLayout layout_for_cuda = VK_IMAGE_LAYOUT_GENERAL;

// Ends the program if such an image cannot be exported. Returns whether it must have memory of its
// own.
bool check_export(VkPhysicalDevice device, const VkImageCreateInfo& image) {
  const VkPhysicalDeviceExternalImageFormatInfo external{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, .handleType = as_fd};
  const VkPhysicalDeviceImageFormatInfo2 question{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
      .pNext = &external,
      .format = image.format,
      .type = image.imageType,
      .tiling = image.tiling,
      .usage = image.usage};
  VkExternalImageFormatProperties of_export{.sType =
                                                VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
  VkImageFormatProperties2 answer{.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
                                  .pNext = &of_export};
  const VkResult result = vkGetPhysicalDeviceImageFormatProperties2(device, &question, &answer);
  const VkExternalMemoryFeatureFlags features =
      of_export.externalMemoryProperties.externalMemoryFeatures;
  if (result != VK_SUCCESS || !(features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT))
    fail("Vulkan's driver does not export images of floats");
  const VkExtent3D most = answer.imageFormatProperties.maxExtent;
  if (image.extent.width > most.width || image.extent.height > most.height)
    fail("Vulkan's driver has no images as large as that");
  return features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
}

}  // namespace

SharedImage::SharedImage(const Device& device, uint32_t width, uint32_t height,
                         VkImageUsageFlags usage)
    : device_(device), extent_{width, height} {
  create_image(usage);
  import_into_cuda();
}

SharedImage::~SharedImage() {
  cuSurfObjectDestroy(surface_);
  cuMipmappedArrayDestroy(levels_);
  cuDestroyExternalMemory(imported_);
}

void SharedImage::create_image(VkImageUsageFlags usage) {
  const VkExternalMemoryImageCreateInfo external{
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, .handleTypes = as_fd};
  const VkImageCreateInfo create{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                 .pNext = &external,
                                 .imageType = VK_IMAGE_TYPE_2D,
                                 .format = format,
                                 .extent = {extent_.width, extent_.height, 1},
                                 .mipLevels = 1,
                                 .arrayLayers = 1,
                                 .samples = VK_SAMPLE_COUNT_1_BIT,
                                 .tiling = VK_IMAGE_TILING_OPTIMAL,
                                 .usage = usage,
                                 .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
  dedicated_ = check_export(device_.physical(), create);
  image_ = Image(device_, create);

  // A driver may want memory that holds this image alone.
  VkMemoryDedicatedRequirements wish{.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
  VkMemoryRequirements2 needed{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &wish};
  const VkImageMemoryRequirementsInfo2 question{
      .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .image = image_};
  vkGetImageMemoryRequirements2(device_, &question, &needed);
  dedicated_ |= wish.prefersDedicatedAllocation || wish.requiresDedicatedAllocation;
  size_ = needed.memoryRequirements.size;

  const VkMemoryDedicatedAllocateInfo alone{
      .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = image_};
  const VkExportMemoryAllocateInfo exported{.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                            .pNext = dedicated_ ? &alone : nullptr,
                                            .handleTypes = as_fd};
  memory_ = Memory(device_, VkMemoryAllocateInfo{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                 .pNext = &exported,
                                                 .allocationSize = size_,
                                                 .memoryTypeIndex = device_.memory_type(
                                                     needed.memoryRequirements.memoryTypeBits,
                                                     VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)});
  NEED_VULKAN(vkBindImageMemory(device_, image_, memory_, 0));
}

// What CUDA is told must be what Vulkan made: nobody can check it.
void SharedImage::import_into_cuda() {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle;
  std::memset(&handle, 0, sizeof handle);
  handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  handle.handle.fd = device_.export_fd(memory_);
  handle.size = size_;
  handle.flags = dedicated_ ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
  NEED(cuImportExternalMemory(&imported_, &handle));  // the descriptor is CUDA's now

  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC shape;
  std::memset(&shape, 0, sizeof shape);
  shape.arrayDesc.Width = extent_.width;
  shape.arrayDesc.Height = extent_.height;
  shape.arrayDesc.Format = CU_AD_FORMAT_FLOAT;
  shape.arrayDesc.NumChannels = 1;
  shape.arrayDesc.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  shape.numLevels = 1;
  NEED(cuExternalMemoryGetMappedMipmappedArray(&levels_, imported_, &shape));

  CUDA_RESOURCE_DESC resource;
  std::memset(&resource, 0, sizeof resource);
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  NEED(cuMipmappedArrayGetLevel(&resource.res.array.hArray, levels_, 0));
  NEED(cuSurfObjectCreate(&surface_, &resource));
}

// The stage of the other side's half is none of Vulkan's; the semaphore that is waited for, or
// signalled, stands for it.
void SharedImage::take_from_cuda(VkCommandBuffer commands, const ImageUse& use) const {
  barrier(commands, image_,
          {.srcStageMask = use.stage,
           .dstStageMask = use.stage,
           .dstAccessMask = use.access,
           .oldLayout = layout_for_cuda,
           .newLayout = use.layout,
           .srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
           .dstQueueFamilyIndex = device_.queue_family()});
}

void SharedImage::give_to_cuda(VkCommandBuffer commands, const ImageUse& use) const {
  barrier(commands, image_,
          {.srcStageMask = use.stage,
           .srcAccessMask = use.access,
           .oldLayout = use.layout,
           .newLayout = layout_for_cuda,
           .srcQueueFamilyIndex = device_.queue_family(),
           .dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL});
}

void SharedImage::give_to_cuda_empty(VkCommandBuffer commands) const {
  barrier(commands, image_,
          {.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
           .newLayout = layout_for_cuda,
           .srcQueueFamilyIndex = device_.queue_family(),
           .dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL});
}

}  // namespace wave
