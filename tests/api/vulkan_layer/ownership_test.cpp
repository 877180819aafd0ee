// SPDX-License-Identifier: Apache-2.0
// Memory that Vulkan owns while CUDA uses it is reported; turns that are taken in order are not.
// Runs with CUVETTE_CHECK=aliases. A report is made once for each place that submits a command.
#include "../driver/kernels.hpp"
#include "both.hpp"
#include "shared_buffer.hpp"

namespace {

constexpr const char* not_released = "no barrier that releases it has been submitted since";
constexpr const char* not_executed =
    "the barrier that releases it to VK_QUEUE_FAMILY_EXTERNAL has not been executed yet";

bool has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

TEST(OwnedByVulkan, ReportsAFillBehindAnAcquire) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  Listener listener;
  run(vulkan, recorded(vulkan, Way::acquire, shared.vk()));
  fill(shared.address + 1024, 16);
  EXPECT_EQ(listener.reports(), 1) << listener.text();
  EXPECT_TRUE(has(listener.text(), "A fill uses external memory")) << listener.text();
  EXPECT_TRUE(has(listener.text(), not_released)) << listener.text();
  EXPECT_TRUE(has(listener.text(), "  acquire submitted at: ")) << listener.text();
  EXPECT_TRUE(has(listener.text(), "  owned bytes of the memory: 0 to 65536\n")) << listener.text();
  EXPECT_TRUE(has(listener.text(), "  offset: 1024\n")) << listener.text();
}

TEST(OwnedByVulkan, ReportsAKernelBehindAnAcquire) {
  NEED_DRIVER(lavapipe);
  Kernels kernels;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  uint32_t value = 1;
  void* parameters[] = {&shared.address, &value};
  Listener listener;
  run(vulkan, recorded(vulkan, Way::acquire, shared.vk()));
  OK(cuLaunchKernel(kernels["number"], 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  OK(cuCtxSynchronize());
  EXPECT_EQ(listener.reports(), 1) << listener.text();
  EXPECT_TRUE(has(listener.text(), "The kernel number uses external memory")) << listener.text();
}

TEST(OwnedByVulkan, ReportsACopyThatReads) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  char bytes[64];
  Listener listener;
  run(vulkan, recorded(vulkan, Way::acquire, shared.vk()));
  OK(cuMemcpyDtoH(bytes, shared.address, sizeof bytes));
  EXPECT_EQ(listener.reports(), 1) << listener.text();
}

// The release waits for what has not been signalled.
TEST(OwnedByVulkan, ReportsAFillBeforeTheRelease) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const VkSemaphore later = vulkan.semaphore(true, 0, false);
  run(vulkan, recorded(vulkan, Way::acquire, shared.vk()));
  VK_OK(vulkan.submit({{later, 1}}, {{later, 2}}, recorded(vulkan, Way::release, shared.vk())));
  {
    Listener listener;
    fill(shared.address);
    EXPECT_EQ(listener.reports(), 1) << listener.text();
    EXPECT_TRUE(has(listener.text(), not_executed)) << listener.text();
    EXPECT_TRUE(has(listener.text(), "  release submitted at: ")) << listener.text();
  }
  VK_OK(vulkan.signal(later, 1));
  VK_OK(vulkan.wait(later, 2));
  Listener listener;
  fill(shared.address, 16);
  EXPECT_EQ(listener.reports(), 0) << listener.text();
  vulkan.destroy(later);
}

// A first batch without transfers keeps the queue busy.
TEST(OwnedByVulkan, ReportsNothingBeforeAnAcquireHasStarted) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const VkSemaphore later = vulkan.semaphore(true, 0, false);
  Listener listener;
  VK_OK(vulkan.submit({{later, 1}}, {{later, 2}}, recorded(vulkan, Way::acquire, shared.vk())));
  VK_OK(vulkan.submit({}, {{later, 3}}, recorded(vulkan, Way::release, shared.vk())));
  fill(shared.address);
  VK_OK(vulkan.signal(later, 1));
  VK_OK(vulkan.wait(later, 3));
  fill(shared.address);
  EXPECT_EQ(listener.reports(), 0) << listener.text();
  vulkan.destroy(later);
}

// Both take turns, by fills and by kernels, submitted ahead of time.
void expect_peace(Submit submit, bool timeline) {
  Kernels kernels;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  Both there(vulkan, timeline), back(vulkan, timeline);
  const CUstream stream = new_stream();
  Listener listener;
  for (uint32_t round = 1; round <= 50; ++round) {
    const uint64_t value = timeline ? round : 0;
    OK(cuMemsetD32Async(shared.address, round, SharedBuffer::size / 4, stream));
    void* parameters[] = {&shared.address, &round};
    OK(cuLaunchKernel(kernels["number"], 4, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr));
    OK(signal(there.cuda, value, stream));
    VK_OK(
        submit(vulkan, {{there.vk, value}}, {{back.vk, value}}, turn(vulkan, shared.vk(), round)));
    OK(wait(back.cuda, value, stream));
    if (round % 10 == 0) {
      OK(cuStreamSynchronize(stream));
    }
  }
  OK(cuStreamSynchronize(stream));
  uint32_t last = 0;
  OK(cuMemcpyDtoH(&last, shared.address, 4));
  EXPECT_EQ(last, 50u);
  EXPECT_EQ(listener.reports(), 0) << listener.text();
  OK(cuStreamDestroy(stream));
  VK_OK(vkQueueWaitIdle(vulkan.queue));
}

TEST(vkQueueSubmit, TakesTurnsWithBinarySemaphores) {
  NEED_DRIVER(lavapipe);
  expect_peace(submit_1, false);
}
TEST(vkQueueSubmit, TakesTurnsWithTimelines) {
  NEED_DRIVER(lavapipe);
  expect_peace(submit_1, true);
}
TEST(vkQueueSubmit2, TakesTurnsWithBinarySemaphores) {
  NEED_DRIVER(lavapipe);
  expect_peace(submit_2, false);
}
TEST(vkQueueSubmit2, TakesTurnsWithTimelines) {
  NEED_DRIVER(lavapipe);
  expect_peace(submit_2, true);
}
TEST(vkQueueSubmit, TakesTurnsOnSwiftShader) {
  NEED_DRIVER(swiftshader);
  expect_peace(submit_1, true);
}

// The same without semaphores: the host waits for each side.
TEST(vkWaitForFences, TellsThatAReleaseIsOver) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Options options = exporting();
  options.extensions = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  Vulkan vulkan(options);
  SharedBuffer shared(vulkan);
  Listener listener;
  for (uint32_t round = 1; round <= 200; ++round) {
    run(vulkan, turn(vulkan, shared.vk(), round));
    fill(shared.address);
  }
  EXPECT_EQ(listener.reports(), 0) << listener.text();
  run(vulkan, recorded(vulkan, Way::acquire, shared.vk()));
  fill(shared.address);
}

TEST(vkQueueWaitIdle, TellsThatAReleaseIsOver) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  Listener listener;
  for (uint32_t round = 1; round <= 200; ++round) {
    VK_OK(vulkan.submit({}, {}, turn(vulkan, shared.vk(), round)));
    VK_OK(round % 2 ? vkQueueWaitIdle(vulkan.queue) : vkDeviceWaitIdle(vulkan.device));
    fill(shared.address);
  }
  EXPECT_EQ(listener.reports(), 0) << listener.text();
}

// A missing wait is found, whatever runs first: the queue is held up until CUDA is done.
TEST(OwnedByVulkan, ReportsEachTurnThatIsNotWaitedFor) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const VkSemaphore later = vulkan.semaphore(true, 0, false);
  run(vulkan, recorded(vulkan, Way::acquire, shared.vk()));
  Listener listener;
  VK_OK(vulkan.submit({{later, 1}}, {}, recorded(vulkan, Way::release, shared.vk())));
  OK(cuMemsetD8Async(shared.address, 1, 16, nullptr));
  OK(cuMemsetD8Async(shared.address, 2, 16, nullptr));
  OK(cuCtxSynchronize());
  VK_OK(vulkan.signal(later, 1));
  VK_OK(vkQueueWaitIdle(vulkan.queue));
  EXPECT_EQ(listener.reports(), 2) << listener.text();
  vulkan.destroy(later);
}

TEST(OwnedByVulkan, SaysNothingWithoutTransfers) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  Listener listener;
  const VkCommandBuffer commands = vulkan.record();
  vkCmdFillBuffer(commands, shared.vk(), 0, VK_WHOLE_SIZE, 1);
  hand_over(commands, Way::acquire, shared.vk(), 0, VK_WHOLE_SIZE, 0);
  hand_over(commands, Way::release, shared.vk(), 0, VK_WHOLE_SIZE, VK_QUEUE_FAMILY_IGNORED);
  VK_OK(vulkan.submit({}, {}, ended(commands)));
  fill(shared.address);
  VK_OK(vkQueueWaitIdle(vulkan.queue));
  EXPECT_EQ(listener.text(), "");
}

TEST(OwnedByVulkan, KnowsPartsOfAMemory) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  SharedBuffer shared(vulkan);
  const VkCommandBuffer commands = vulkan.record();
  hand_over(commands, Way::acquire, shared.vk(), 4096, 8192, VK_QUEUE_FAMILY_EXTERNAL);
  hand_over(commands, Way::release, shared.vk(), 8192, 256);
  run(vulkan, ended(commands));
  {
    Listener listener;
    fill(shared.address, 4096);
    fill(shared.address + 12288, 4096);
    fill(shared.address + 8192, 256);
    // Rows with gaps.
    OK(cuMemsetD2D8(shared.address, 12288, 1, 4096, 2));
    EXPECT_EQ(listener.reports(), 0) << listener.text();
  }
  Listener listener;
  OK(cuMemsetD8(shared.address + 4095, 1, 2));
  OK(cuMemsetD8(shared.address + 12287, 1, 2));
  OK(cuMemsetD2D8(shared.address + 256, 8192, 1, 256, 2));
  OK(cuCtxSynchronize());
  EXPECT_EQ(listener.reports(), 3) << listener.text();
}

TEST(OwnedByVulkan, LetsGoOfMemoryThatIsFreed) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan(exporting());
  CUexternalMemory memory = nullptr;
  {
    Buffer buffer(vulkan, SharedBuffer::size, true);
    memory = import(buffer.fd(), SharedBuffer::size);
    run(vulkan, recorded(vulkan, Way::acquire, buffer.buffer));
  }
  const CUdeviceptr address = map(memory, 0, SharedBuffer::size);
  Listener listener;
  fill(address);
  EXPECT_EQ(listener.reports(), 0) << listener.text();
  OK(cuMemFree(address));
  OK(cuDestroyExternalMemory(memory));
}

TEST(OwnedByVulkan, LetsGoOfADeviceThatIsDestroyed) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  for (int round = 0; round < 3; ++round) {
    Vulkan vulkan(exporting());
    SharedBuffer shared(vulkan);
    run(vulkan, recorded(vulkan, Way::acquire, shared.vk()));
    Listener listener;
    fill(shared.address);
    EXPECT_EQ(listener.reports(), round == 0) << listener.text();
  }
}

}  // namespace
