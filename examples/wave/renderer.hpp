// SPDX-License-Identifier: Apache-2.0
// Renderer: the Vulkan half. It draws the heights that CUDA has written, and copies the picture to
// where the host can read it.
#pragma once

#include <optional>

#include "examples/picture.hpp"
#include "examples/wave/pipeline.hpp"
#include "examples/wave/shared_image.hpp"

namespace wave {

class Renderer {
 public:
  Renderer(const Device& device, const SharedImage& heights);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // So many frames can be drawn before the first of them has been read.
  static constexpr size_t slots = 2;

  // The stage at which the heights are needed.
  static constexpr VkPipelineStageFlags2 stage = read_by_fragments.stage;

  // Submits the first hand-over of the heights to CUDA, and then a signal.
  void begin(const VkSemaphoreSubmitInfo& signal);
  // Submits a wait, drawing, the next hand-over of the heights, and a signal.
  void draw(uint64_t frame, const VkSemaphoreSubmitInfo& wait, const VkSemaphoreSubmitInfo& signal);
  // Returns the picture of one of the last frames; the host waits until it is drawn.
  Picture read(uint64_t frame) const;

 private:
  // What one frame needs for itself.
  struct Slot {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    Fence drawn;
    Buffer pixels;
    Memory memory;
    const uint8_t* view = nullptr;
  };

  void create_picture();
  void create_slot(Slot& slot);
  VkCommandBuffer allocate_commands();
  void record_hand_over();
  void record(const Slot& slot);
  void record_drawing(VkCommandBuffer commands);
  void record_copy(const Slot& slot);
  void submit(VkCommandBuffer commands, const VkSemaphoreSubmitInfo* wait,
              const VkSemaphoreSubmitInfo& signal, VkFence fence);

  const Device& device_;
  const SharedImage& heights_;
  const VkExtent2D extent_;
  CommandPool commands_;
  VkCommandBuffer hand_over_ = VK_NULL_HANDLE;
  ImageView heights_view_;
  Image picture_;
  Memory picture_memory_;
  ImageView picture_view_;
  std::optional<WaterPipeline> pipeline_;
  Slot slots_[slots];
};

}  // namespace wave
