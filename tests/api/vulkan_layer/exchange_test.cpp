// SPDX-License-Identifier: Apache-2.0
// Queues of Vulkan and streams of CUDA wait for each other.
#include <cuda.h>

#include <atomic>
#include <thread>

#include "../driver/gate.hpp"
#include "both.hpp"
#include "buffer.hpp"

namespace {

void expect_order(Submit submit, bool timeline) {
  Vulkan vulkan;
  Scene scene;
  const CUstream stream = new_stream();
  {
    Both there(vulkan, timeline), back(vulkan, timeline);
    Mark mark(vulkan);
    for (uint64_t round = 1; round <= 50; ++round) {
      const uint64_t value = timeline ? round : 0;
      const auto number = static_cast<uint32_t>(round);
      const bool wait_first = round % 2 == 0;
      // CUDA, then Vulkan, then CUDA; every second time the waits come before the signals.
      if (wait_first) {
        VK_OK(submit(vulkan, {{there.vk, value}}, {{back.vk, value}}, mark.set(number)));
        OK(wait(back.cuda, value, stream));
        if (round < 10) let_things_happen();
        EXPECT_EQ(mark.value(), number - 1);
        EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
        const CUstream other = new_stream();
        OK(signal(there.cuda, value, other));
        OK(cuStreamSynchronize(other));
        OK(cuStreamDestroy(other));
      } else {
        OK(signal(there.cuda, value, stream));
        VK_OK(submit(vulkan, {{there.vk, value}}, {{back.vk, value}}, mark.set(number)));
        OK(wait(back.cuda, value, stream));
      }
      OK(cuStreamSynchronize(stream));
      EXPECT_EQ(mark.value(), number);
    }
    VK_OK(vkQueueWaitIdle(vulkan.queue));
  }
  OK(cuStreamDestroy(stream));
}

TEST(vkQueueSubmit, OrdersWithCudaByBinarySemaphores) {
  NEED_DRIVER(lavapipe);
  expect_order(submit_1, false);
}
TEST(vkQueueSubmit, OrdersWithCudaByTimelines) {
  NEED_DRIVER(lavapipe);
  expect_order(submit_1, true);
}
TEST(vkQueueSubmit2, OrdersWithCudaByBinarySemaphores) {
  NEED_DRIVER(lavapipe);
  expect_order(submit_2, false);
}
TEST(vkQueueSubmit2, OrdersWithCudaByTimelines) {
  NEED_DRIVER(lavapipe);
  expect_order(submit_2, true);
}

void expect_mixture(Submit submit) {
  Vulkan vulkan;
  Scene scene;
  const CUstream stream = new_stream();
  {
    Both binary(vulkan, false), timeline(vulkan, true), out_binary(vulkan, false),
        out_timeline(vulkan, true);
    const VkSemaphore own = vulkan.semaphore(true, 0, false);
    const VkSemaphore own_binary = vulkan.semaphore(false, 0, false);
    Mark mark(vulkan);
    for (uint64_t round = 1; round <= 20; ++round) {
      const auto number = static_cast<uint32_t>(round);
      VK_OK(submit(vulkan, {}, {{own_binary, 0}}, VK_NULL_HANDLE));
      OK(signal(binary.cuda, 0, stream));
      OK(signal(timeline.cuda, round, stream));
      VK_OK(submit(
          vulkan, {{own_binary, 0}, {binary.vk, 0}, {own, 2 * round - 1}, {timeline.vk, round}},
          {{out_binary.vk, 0}, {own, 2 * round}, {out_timeline.vk, round}}, mark.set(number)));
      if (round < 5) {
        let_things_happen();
        EXPECT_EQ(mark.value(), number - 1);
      }
      VK_OK(vulkan.signal(own, 2 * round - 1));  // the last that the submit waits for
      OK(wait(out_binary.cuda, 0, stream));
      OK(wait(out_timeline.cuda, round, stream));
      OK(cuStreamSynchronize(stream));
      EXPECT_EQ(mark.value(), number);
      EXPECT_EQ(vulkan.value_of(own), 2 * round);
    }
    VK_OK(vkQueueWaitIdle(vulkan.queue));
    vulkan.destroy(own);
    vulkan.destroy(own_binary);
  }
  OK(cuStreamDestroy(stream));
}

TEST(vkQueueSubmit, TakesOrdinaryOnesBesideShared) {
  NEED_DRIVER(lavapipe);
  expect_mixture(submit_1);
}
TEST(vkQueueSubmit2, TakesOrdinaryOnesBesideShared) {
  NEED_DRIVER(lavapipe);
  expect_mixture(submit_2);
}

// A signal may be submitted before the one with the lower value that comes before it.
TEST(vkQueueSubmit, LetsAnotherDeviceSignalInBetween) {
  NEED_DRIVER(lavapipe);
  Vulkan one, other;
  const VkSemaphore here = one.timeline(), there = other.semaphore(true, 0, false);
  VK_OK(other.import(there, one.fd_of(here)));
  Mark mark(other);
  VK_OK(one.submit({{here, 2}}, {{here, 3}}));
  VK_OK(other.submit({{there, 1}}, {{there, 2}}, mark.set(1)));
  let_things_happen();
  EXPECT_EQ(mark.value(), 0u);
  VK_OK(one.signal(here, 1));
  VK_OK(other.wait(there, 3));
  EXPECT_EQ(mark.value(), 1u);
  VK_OK(vkQueueWaitIdle(one.queue));
  VK_OK(vkQueueWaitIdle(other.queue));
  one.destroy(here);
  other.destroy(there);
}

TEST(vkQueueSubmit, HandsABinarySemaphoreFromDeviceToDevice) {
  NEED_DRIVER(lavapipe);
  Vulkan one, other;
  const VkSemaphore here = one.binary(), there = other.semaphore(false, 0, false);
  VK_OK(other.import(there, one.fd_of(here)));
  for (int round = 0; round < 20; ++round) {
    VK_OK(other.submit({{there}}, {}));
    VK_OK(one.submit({}, {{here}}));
    VK_OK(vkQueueWaitIdle(other.queue));
    VK_OK(vkQueueWaitIdle(one.queue));
  }
  one.destroy(here);
  other.destroy(there);
}

// A mistake that a GPU's driver forgives.
TEST(vkQueueSubmit, TakesWaitsWithoutStages) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore semaphores[] = {vulkan.binary(), vulkan.binary()};
  VK_OK(vulkan.submit({}, {{semaphores[0]}, {semaphores[1]}}));
  Mark mark(vulkan);
  const VkCommandBuffer commands = mark.set(1);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.waitSemaphoreCount = 2;
  submit.pWaitSemaphores = semaphores;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  VK_OK(vkQueueSubmit(vulkan.queue, 1, &submit, VK_NULL_HANDLE));
  VK_OK(vkQueueWaitIdle(vulkan.queue));
  EXPECT_EQ(mark.value(), 1u);
  for (const VkSemaphore semaphore : semaphores) vulkan.destroy(semaphore);
}

// Several threads, each with a device and streams of its own.
TEST(vkQueueSubmit, IsUsedByManyThreads) {
  NEED_DRIVER(lavapipe);
  Scene scene;
  Vulkan vulkan;
  Both chain(vulkan, true);
  std::atomic<uint64_t> failures{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number)
    threads.emplace_back([&] {
      Vulkan own;
      failures += cuCtxSetCurrent(scene.context) != CUDA_SUCCESS;
      const CUstream stream = new_stream();
      {
        Both to(own, true), from(own, false);
        for (uint64_t round = 1; round <= 30; ++round) {
          failures += signal(to.cuda, round, stream) != CUDA_SUCCESS;
          failures += own.submit({{to.vk, round}}, {{from.vk}}) != VK_SUCCESS;
          failures += wait(from.cuda, 0, stream) != CUDA_SUCCESS;
        }
        failures += cuStreamSynchronize(stream) != CUDA_SUCCESS;
        vkQueueWaitIdle(own.queue);
      }
      cuStreamDestroy(stream);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0u);
}

}  // namespace
