// SPDX-License-Identifier: Apache-2.0
// The parts of the example wave: what CUDA writes into the image is what the model says, bit by
// bit, and each side waits for the other.
#include <algorithm>
#include <cstring>

#include "examples/wave/renderer.hpp"
#include "examples/wave/shared_timeline.hpp"
#include "examples/wave/water.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/vulkan_layer/vulkan.hpp"
#include "tests/examples/wave_model.hpp"

// With the last instance its driver is unloaded, whose memory then seems lost to LeakSanitizer.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_options() {
  return "detect_leaks=0";
}

namespace {

constexpr VkPipelineStageFlags2 all_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;

struct Size {
  int width, height;
};

// All that wave.cpp makes, but the animation.
struct Parts {
  explicit Parts(const Size& size)
      : basin(size.width, size.height),
        image(device, static_cast<uint32_t>(size.width), static_cast<uint32_t>(size.height),
              VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT),
        free(device),
        written(device),
        water(basin) {}

  // CUDA's turn.
  void write(uint64_t frame) {
    water.advance(frame);
    free.wait(water.stream(), frame);
    water.write(image.surface());
    written.signal(water.stream(), frame);
  }

  const wave::Device device;
  const wave::Basin basin;
  const wave::SharedImage image;
  const wave::SharedTimeline free, written;
  wave::Water water;
};

// Takes the renderer's turns, and reads the heights instead of drawing them.
class Reader {
 public:
  explicit Reader(const Parts& parts)
      : parts_(parts),
        pool_(parts.device,
              VkCommandPoolCreateInfo{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                      .queueFamilyIndex = parts.device.queue_family()}),
        bytes_(parts.basin.cells() * sizeof(float)),
        buffer_(parts.device, VkBufferCreateInfo{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                                 .size = bytes_,
                                                 .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT}) {
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(parts.device, buffer_, &needed);
    memory_ = wave::Memory(
        parts.device,
        VkMemoryAllocateInfo{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                             .allocationSize = needed.size,
                             .memoryTypeIndex = parts.device.memory_type(
                                 needed.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)});
    VK_EXPECT(vkBindBufferMemory(parts.device, buffer_, memory_, 0));
    VK_EXPECT(vkMapMemory(parts.device, memory_, 0, VK_WHOLE_SIZE, 0, &view_));
    const VkCommandBuffer hand_over = record();
    parts.image.give_to_cuda_empty(hand_over);
    submit(hand_over, 0);
  }
  ~Reader() { vkQueueWaitIdle(parts_.device.queue()); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::vector<float> read(uint64_t frame) {
    constexpr wave::ImageUse copied{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
                                    VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkExtent2D extent = parts_.image.extent();
    const VkBufferImageCopy whole{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .imageExtent = {extent.width, extent.height, 1}};
    const VkCommandBuffer commands = record();
    parts_.image.take_from_cuda(commands, copied);
    vkCmdCopyImageToBuffer(commands, parts_.image.image(), copied.layout, buffer_, 1, &whole);
    parts_.image.give_to_cuda(commands, copied);
    submit(commands, frame);
    VK_EXPECT(vkQueueWaitIdle(parts_.device.queue()));
    std::vector<float> heights(parts_.basin.cells());
    std::memcpy(heights.data(), view_, bytes_);
    return heights;
  }

 private:
  VkCommandBuffer record() {
    const VkCommandBufferAllocateInfo allocate{
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool_,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VK_EXPECT(vkAllocateCommandBuffers(parts_.device, &allocate, &commands));
    VK_EXPECT(vkBeginCommandBuffer(commands, &begin));
    return commands;
  }
  // Waits for `written` to be `frame`, and sets `free` to the next one.
  void submit(VkCommandBuffer commands, uint64_t frame) {
    VK_EXPECT(vkEndCommandBuffer(commands));
    const VkCommandBufferSubmitInfo buffer{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                           .commandBuffer = commands};
    const auto wait = parts_.written.at(frame, VK_PIPELINE_STAGE_2_COPY_BIT),
               signal = parts_.free.at(frame + 1, all_stages);
    const VkSubmitInfo2 submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                               .waitSemaphoreInfoCount = 1,
                               .pWaitSemaphoreInfos = &wait,
                               .commandBufferInfoCount = 1,
                               .pCommandBufferInfos = &buffer,
                               .signalSemaphoreInfoCount = 1,
                               .pSignalSemaphoreInfos = &signal};
    VK_EXPECT(vkQueueSubmit2(parts_.device.queue(), 1, &submit, VK_NULL_HANDLE));
  }

  const Parts& parts_;
  const wave::CommandPool pool_;
  const size_t bytes_;
  const wave::Buffer buffer_;
  wave::Memory memory_;
  void* view_ = nullptr;
};

class WaveTurns : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { NEED_DRIVER(GetParam()); }
};

// Rows of images are padded, so odd sizes are the interesting ones.
TEST_P(WaveTurns, TheImageHoldsTheModelsHeights) {
  for (const Size size : {Size{101, 67}, Size{33, 17}, Size{16, 200}, Size{128, 72}}) {
    Parts parts(size);
    Reader reader(parts);
    WaveModel model(parts.basin);
    for (uint64_t frame = 1; frame <= 30; ++frame) {
      parts.write(frame);
      model.advance();
      const std::vector<float> heights = reader.read(frame);
      ASSERT_EQ(std::memcmp(heights.data(), model.heights().data(), heights.size() * sizeof(float)),
                0)
          << size.width << "x" << size.height << ", frame " << frame;
    }
    // The water has moved.
    const auto is_moved = [](float height) { return height != 0 && height != wave::Basin::stone; };
    EXPECT_GT(std::count_if(model.heights().begin(), model.heights().end(), is_moved), 100);
  }
}

TEST_P(WaveTurns, CudaWaitsForTheImage) {
  Parts parts({64, 48});
  parts.write(1);
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(parts.water.stream()), CUDA_ERROR_NOT_READY);
  wave::Renderer renderer(parts.device, parts.image);
  renderer.begin(parts.free.at(1, all_stages));
  EXPECT_EQ(cuStreamSynchronize(parts.water.stream()), CUDA_SUCCESS);
}

// Draws two frames. CUDA's stream is held up before it writes the second, and Vulkan waits until
// `written` has this value.
struct TwoFrames {
  explicit TwoFrames(uint64_t awaited) : parts({64, 48}), renderer(parts.device, parts.image) {
    renderer.begin(parts.free.at(1, all_stages));
    parts.write(1);
    renderer.draw(1, parts.written.at(1, wave::Renderer::stage), parts.free.at(2, all_stages));
    const Picture first = renderer.read(1);

    Gate gate(parts.water.stream());
    parts.write(2);
    renderer.draw(2, parts.written.at(awaited, wave::Renderer::stage),
                  parts.free.at(3, all_stages));
    if (awaited == 2) {
      let_things_happen();
      gate.open();
    }
    const Picture second = renderer.read(2);
    const size_t bytes =
        static_cast<size_t>(first.width()) * static_cast<size_t>(first.height()) * 3;
    are_same = std::memcmp(first.at(0, 0), second.at(0, 0), bytes) == 0;
  }

  Parts parts;
  wave::Renderer renderer;
  bool are_same;
};

TEST_P(WaveTurns, VulkanWaitsForTheHeights) { EXPECT_FALSE(TwoFrames(2).are_same); }

// One who waits for too little draws what was there before.
TEST_P(WaveTurns, AWrongWaitIsSeen) { EXPECT_TRUE(TwoFrames(1).are_same); }

INSTANTIATE_TEST_SUITE_P(Drivers, WaveTurns, testing::Values(lavapipe, swiftshader),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "lavapipe" : "swiftshader");
                         });

}  // namespace
