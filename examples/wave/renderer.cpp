// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/renderer.hpp"

#include <algorithm>

#include "examples/wave/barrier.hpp"

namespace wave {
namespace {

constexpr VkFormat picture_format = VK_FORMAT_R8G8B8A8_UNORM;
constexpr size_t pixel_bytes = 4;

ImageView view_of(VkDevice device, VkImage image, VkFormat format) {
  return ImageView(
      device, VkImageViewCreateInfo{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                    .image = image,
                                    .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                    .format = format,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}});
}

Memory allocate(const Device& device, const VkMemoryRequirements& needed,
                VkMemoryPropertyFlags wanted) {
  return Memory(device, VkMemoryAllocateInfo{
                            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                            .allocationSize = needed.size,
                            .memoryTypeIndex = device.memory_type(needed.memoryTypeBits, wanted)});
}

void begin_commands(VkCommandBuffer commands) {
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  NEED_VULKAN(vkBeginCommandBuffer(commands, &begin));
}

}  // namespace

Renderer::Renderer(const Device& device, const SharedImage& heights)
    : device_(device),
      heights_(heights),
      extent_(heights.extent()),
      commands_(device, VkCommandPoolCreateInfo{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                .queueFamilyIndex = device.queue_family()}),
      heights_view_(view_of(device, heights.image(), SharedImage::format)) {
  create_picture();
  pipeline_.emplace(device, heights_view_, picture_format, extent_);
  record_hand_over();
  for (Slot& slot : slots_) {
    create_slot(slot);
    record(slot);
  }
}

Renderer::~Renderer() { vkQueueWaitIdle(device_.queue()); }

void Renderer::begin(const VkSemaphoreSubmitInfo& signal) {
  submit(hand_over_, nullptr, signal, VK_NULL_HANDLE);
}

// Each frame's commands are the same, so they were recorded long ago.
void Renderer::draw(uint64_t frame, const VkSemaphoreSubmitInfo& wait,
                    const VkSemaphoreSubmitInfo& signal) {
  const Slot& slot = slots_[frame % slots];
  NEED_VULKAN(vkResetFences(device_, 1, slot.drawn.address()));
  submit(slot.commands, &wait, signal, slot.drawn);
}

Picture Renderer::read(uint64_t frame) const {
  const Slot& slot = slots_[frame % slots];
  NEED_VULKAN(vkWaitForFences(device_, 1, slot.drawn.address(), VK_TRUE, UINT64_MAX));
  Picture picture(static_cast<int>(extent_.width), static_cast<int>(extent_.height));
  const uint8_t* pixel = slot.view;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x, pixel += pixel_bytes)
      std::copy_n(pixel, 3, picture.at(x, y));
  return picture;
}

// --- What is created once ---

void Renderer::create_picture() {
  picture_ = Image(device_, VkImageCreateInfo{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                              .imageType = VK_IMAGE_TYPE_2D,
                                              .format = picture_format,
                                              .extent = {extent_.width, extent_.height, 1},
                                              .mipLevels = 1,
                                              .arrayLayers = 1,
                                              .samples = VK_SAMPLE_COUNT_1_BIT,
                                              .tiling = VK_IMAGE_TILING_OPTIMAL,
                                              .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
  VkMemoryRequirements needed;
  vkGetImageMemoryRequirements(device_, picture_, &needed);
  picture_memory_ = allocate(device_, needed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  NEED_VULKAN(vkBindImageMemory(device_, picture_, picture_memory_, 0));
  picture_view_ = view_of(device_, picture_, picture_format);
}

void Renderer::create_slot(Slot& slot) {
  slot.pixels =
      Buffer(device_, VkBufferCreateInfo{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                         .size = pixel_bytes * extent_.width * extent_.height,
                                         .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT});
  VkMemoryRequirements needed;
  vkGetBufferMemoryRequirements(device_, slot.pixels, &needed);
  slot.memory = allocate(
      device_, needed, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  NEED_VULKAN(vkBindBufferMemory(device_, slot.pixels, slot.memory, 0));
  void* view;
  NEED_VULKAN(vkMapMemory(device_, slot.memory, 0, VK_WHOLE_SIZE, 0, &view));
  slot.view = static_cast<const uint8_t*>(view);
  slot.drawn = Fence(device_, VkFenceCreateInfo{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO});
  slot.commands = allocate_commands();
}

// --- What is recorded once ---

VkCommandBuffer Renderer::allocate_commands() {
  const VkCommandBufferAllocateInfo allocate{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = commands_,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1};
  VkCommandBuffer commands;
  NEED_VULKAN(vkAllocateCommandBuffers(device_, &allocate, &commands));
  return commands;
}

void Renderer::record_hand_over() {
  hand_over_ = allocate_commands();
  begin_commands(hand_over_);
  heights_.give_to_cuda_empty(hand_over_);
  NEED_VULKAN(vkEndCommandBuffer(hand_over_));
}

void Renderer::record(const Slot& slot) {
  begin_commands(slot.commands);
  heights_.take_from_cuda(slot.commands, read_by_fragments);
  record_drawing(slot.commands);
  heights_.give_to_cuda(slot.commands, read_by_fragments);
  record_copy(slot);
  NEED_VULKAN(vkEndCommandBuffer(slot.commands));
}

void Renderer::record_drawing(VkCommandBuffer commands) {
  // All slots draw into one picture, so the copy of the frame before must be over.
  barrier(commands, picture_,
          {.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT,
           .dstStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
           .dstAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
           .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
           .newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
           .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
           .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED});
  const VkRenderingAttachmentInfo colours{
      .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
      .imageView = picture_view_,
      .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
      .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,  // each pixel is overwritten
      .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
  const VkRenderingInfo rendering{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, extent_},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &colours};
  vkCmdBeginRendering(commands, &rendering);
  pipeline_->draw(commands);
  vkCmdEndRendering(commands);
}

void Renderer::record_copy(const Slot& slot) {
  barrier(slot.commands, picture_,
          {.srcStageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
           .srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
           .dstStageMask = VK_PIPELINE_STAGE_2_COPY_BIT,
           .dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT,
           .oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
           .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
           .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
           .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED});
  const VkBufferImageCopy whole{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {extent_.width, extent_.height, 1}};
  vkCmdCopyImageToBuffer(slot.commands, picture_, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, slot.pixels,
                         1, &whole);
  // The host's reading is the next use of the pixels.
  const VkMemoryBarrier2 to_host{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                 .srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT,
                                 .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                 .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
                                 .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT};
  const VkDependencyInfo dependency{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                    .memoryBarrierCount = 1,
                                    .pMemoryBarriers = &to_host};
  vkCmdPipelineBarrier2(slot.commands, &dependency);
}

void Renderer::submit(VkCommandBuffer commands, const VkSemaphoreSubmitInfo* wait,
                      const VkSemaphoreSubmitInfo& signal, VkFence fence) {
  const VkCommandBufferSubmitInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                         .commandBuffer = commands};
  const VkSubmitInfo2 submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                             .waitSemaphoreInfoCount = wait ? 1u : 0u,
                             .pWaitSemaphoreInfos = wait,
                             .commandBufferInfoCount = 1,
                             .pCommandBufferInfos = &buffer,
                             .signalSemaphoreInfoCount = 1,
                             .pSignalSemaphoreInfos = &signal};
  NEED_VULKAN(vkQueueSubmit2(device_.queue(), 1, &submit, fence));
}

}  // namespace wave
