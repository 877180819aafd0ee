// SPDX-License-Identifier: Apache-2.0
// Khronos's validation layer, above ours and below it, has nothing to complain about.
#include <thread>

#include "../driver/gate.hpp"
#include "both.hpp"
#include "buffer.hpp"
#include "validation.hpp"

namespace {

class Validation : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    // The loader puts layers of the environment above those that the application asks for.
    if (!choose(lavapipe, GetParam())) GTEST_SKIP() << lavapipe << " is missing";
    if (!Complaints::can_be_heard()) GTEST_SKIP() << Complaints::layer << " is missing";
    complaints_.hear(options_, strcmp(GetParam(), layer) == 0 ? Complaints::layer : layer);
  }

  Complaints complaints_;
  Options options_;
};

TEST_P(Validation, HearsComplaints) {
  Vulkan vulkan(options_);
  VK_OK(vulkan.device_result);
  complaints_.listen(vulkan);
  VkFenceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;  // the wrong one
  VkFence fence = VK_NULL_HANDLE;
  VK_EXPECT(vkCreateFence(vulkan.device, &create, nullptr, &fence));
  vkDestroyFence(vulkan.device, fence, nullptr);
  complaints_.stop(vulkan);
  EXPECT_NE(complaints_.text(), "");
}

TEST_P(Validation, AcceptsAnExchange) {
  {
    Scene scene;
    Vulkan vulkan(options_);
    VK_OK(vulkan.device_result);
    complaints_.listen(vulkan);
    const CUstream stream = new_stream();
    for (const bool timeline : {false, true})
      for (const bool newer : {false, true}) {
        Both there(vulkan, timeline), back(vulkan, timeline);
        Mark mark(vulkan);
        for (uint64_t round = 1; round <= 5; ++round) {
          const uint64_t value = timeline ? round : 0;
          OK(signal(there.cuda, value, stream));
          const VkCommandBuffer commands = mark.set(static_cast<uint32_t>(round));
          VK_OK(newer ? vulkan.submit_2({{there.vk, value}}, {{back.vk, value}}, commands)
                      : vulkan.submit({{there.vk, value}}, {{back.vk, value}}, commands));
          OK(wait(back.cuda, value, stream));
          OK(cuStreamSynchronize(stream));
          EXPECT_EQ(mark.value(), round);
          VK_OK(vkQueueWaitIdle(vulkan.queue));
        }
      }
    OK(cuStreamDestroy(stream));
    complaints_.stop(vulkan);
  }
  EXPECT_EQ(complaints_.text(), "");
}

TEST_P(Validation, AcceptsTheHostsCallsAndImports) {
  {
    Vulkan vulkan(options_);
    VK_OK(vulkan.device_result);
    complaints_.listen(vulkan);
    const VkSemaphore timeline = vulkan.timeline(3), other = vulkan.semaphore(true, 0, false);
    VK_OK(vulkan.import(other, vulkan.fd_of(timeline)));
    VK_OK(vulkan.signal(timeline, 4));
    VK_OK(vulkan.wait(other, 4));
    EXPECT_EQ(vulkan.value_of(other), 4u);
    VK_OK(vulkan.submit({{other, 4}}, {{other, 5}}));
    VK_OK(vulkan.wait(timeline, 5));
    const VkSemaphore binary = vulkan.binary();
    for (const bool temporary : {true, false}) {
      const VkSemaphore imported = vulkan.semaphore(false, 0, false);
      VK_OK(vulkan.submit({}, {{binary}}));
      VK_OK(vulkan.import(imported, vulkan.fd_of(binary), temporary));
      VK_OK(vulkan.submit({{imported}}, {}));
      VK_OK(vkQueueWaitIdle(vulkan.queue));
      vulkan.destroy(imported);
    }
    for (const VkSemaphore semaphore : {timeline, other, binary}) vulkan.destroy(semaphore);
    complaints_.stop(vulkan);
  }
  EXPECT_EQ(complaints_.text(), "");
}

TEST_P(Validation, AcceptsTheDevicesThatAreMade) {
  VkPhysicalDeviceVulkan12Features off{};
  off.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  for (const void* chain : {static_cast<const void*>(nullptr), static_cast<const void*>(&off)}) {
    options_.features = false;
    options_.chain = chain;
    Vulkan vulkan(options_);
    VK_OK(vulkan.device_result);
    complaints_.listen(vulkan);
    const VkSemaphore semaphore = vulkan.binary();
    VK_OK(vulkan.submit({}, {{semaphore}}));
    VK_OK(vulkan.submit({{semaphore}}, {}));
    VK_OK(vkQueueWaitIdle(vulkan.queue));
    vulkan.destroy(semaphore);
    complaints_.stop(vulkan);
  }
  EXPECT_EQ(complaints_.text(), "");
}

// Validation sees the program's calls, or those that our layer makes of them.
INSTANTIATE_TEST_SUITE_P(Order, Validation, testing::Values(Complaints::layer, layer),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "above" : "below");
                         });

}  // namespace
