// SPDX-License-Identifier: Apache-2.0
// Semaphores as the host sees them: exported, imported, signalled, waited for, destroyed.
#include <cuvetteSemaphore.h>
#include <fcntl.h>

#include <chrono>
#include <thread>

#include "../driver/gate.hpp"
#include "buffer.hpp"

namespace {

constexpr uint64_t second = 1'000'000'000;

// The other side of a semaphore, without CUDA.
class HostView {
 public:
  explicit HostView(int fd) : words_(cuvetteSemaphoreMap(fd)) {
    EXPECT_NE(words_, nullptr);
    close(fd);
  }
  ~HostView() { cuvetteSemaphoreUnmap(words_); }
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  void signal(uint64_t value = 1) { cuvetteSemaphoreSignal(words_, value); }
  bool wait(uint64_t value = 1) { return cuvetteSemaphoreWait(words_, value, 30 * second) == 0; }
  bool take() { return cuvetteSemaphoreTryWait(words_, 1) != 0; }
  uint64_t value() const { return cuvetteSemaphoreValue(words_); }
  cuvetteSemaphore& words() { return *words_; }

 private:
  cuvetteSemaphore* const words_;
};

TEST(vkGetSemaphoreFdKHR, GivesADescriptorEachTime) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore semaphore = vulkan.timeline(7);
  const int one = vulkan.fd_of(semaphore), other = vulkan.fd_of(semaphore);
  EXPECT_NE(one, other);
  EXPECT_TRUE(fcntl(one, F_GETFD) & FD_CLOEXEC);
  HostView first(one), second_view(other);
  EXPECT_EQ(first.value(), 7u);
  first.signal(9);
  EXPECT_EQ(second_view.value(), 9u);
  EXPECT_EQ(vulkan.value_of(semaphore), 9u);
  vulkan.destroy(semaphore);
}

TEST(vkGetSemaphoreFdKHR, RefusesAnOrdinarySemaphore) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore semaphore = vulkan.semaphore(true, 0, false);
  const VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, semaphore,
                                    VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  int fd = -1;
  EXPECT_LT(vulkan.get_fd(vulkan.device, &get, &fd), 0);
  EXPECT_EQ(fd, -1);
  vulkan.destroy(semaphore);
}

TEST(vkImportSemaphoreFdKHR, TakesTheDescriptor) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const int fd = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_TIMELINE, 3);
  HostView host(dup(fd));
  const VkSemaphore semaphore = vulkan.semaphore(true, 100, false);
  VK_OK(vulkan.import(semaphore, fd));
  EXPECT_EQ(fcntl(fd, F_GETFD), -1);
  EXPECT_EQ(vulkan.value_of(semaphore), 3u);
  VK_EXPECT(vulkan.submit({}, {{semaphore, 4}}));
  EXPECT_TRUE(host.wait(4));
  // What was imported can be exported.
  HostView again(vulkan.fd_of(semaphore));
  EXPECT_EQ(again.value(), 4u);
  vulkan.destroy(semaphore);
}

TEST(vkImportSemaphoreFdKHR, LeavesAWrongDescriptorOpen) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore timeline = vulkan.timeline(5);
  const int binary = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_BINARY, 0);
  const int page = memfd_create("page", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(page, CUVETTE_SEMAPHORE_SIZE), 0);
  const int short_file = memfd_create("short", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(short_file, 100), 0);
  // Looks right, but the writer has kept the right to shrink it.
  const int loose = memfd_create("loose", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(loose, CUVETTE_SEMAPHORE_SIZE), 0);
  const uint64_t magic = CUVETTE_SEMAPHORE_MAGIC;
  const uint32_t version_and_kind[] = {CUVETTE_SEMAPHORE_VERSION, CUVETTE_SEMAPHORE_TIMELINE};
  ASSERT_EQ(pwrite(loose, &magic, sizeof magic, 0), 8);
  ASSERT_EQ(pwrite(loose, version_and_kind, 8, 8), 8);
  ASSERT_EQ(fcntl(loose, F_ADD_SEALS, F_SEAL_SEAL), -1);  // no seals without MFD_ALLOW_SEALING
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  for (const int fd : {binary, page, short_file, loose, ends[0], ends[1]}) {
    EXPECT_EQ(vulkan.import(timeline, fd), VK_ERROR_INVALID_EXTERNAL_HANDLE) << fd;
    EXPECT_GE(fcntl(fd, F_GETFD), 0) << fd;
    close(fd);
  }
  for (const int fd : {-1, 9999, ends[0]})
    EXPECT_EQ(vulkan.import(timeline, fd), VK_ERROR_INVALID_EXTERNAL_HANDLE) << fd;
  EXPECT_EQ(vulkan.value_of(timeline), 5u);
  vulkan.destroy(timeline);
}

TEST(vkImportSemaphoreFdKHR, TemporarilyIsForOneWait) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  for (const bool exported : {false, true}) {
    const VkSemaphore semaphore = vulkan.semaphore(false, 0, exported);
    for (int time = 0; time < 3; ++time) {
      const int fd = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_BINARY, 0);
      HostView host(dup(fd));
      VK_OK(vulkan.import(semaphore, fd, true));
      VK_OK(vulkan.submit({{semaphore}}, {}));
      host.signal();
      VK_OK(vkQueueWaitIdle(vulkan.queue));
      EXPECT_EQ(host.value(), 0u);
      // Then it is what it was before.
      VK_OK(vulkan.submit({}, {{semaphore}}));
      VK_OK(vulkan.submit({{semaphore}}, {}));
      VK_OK(vkQueueWaitIdle(vulkan.queue));
      EXPECT_EQ(host.value(), 0u);
    }
    vulkan.destroy(semaphore);
  }
}

TEST(vkSignalSemaphore, IsSeenOutsideAndByQueues) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore semaphore = vulkan.timeline();
  HostView host(vulkan.fd_of(semaphore));
  Mark mark(vulkan);
  VK_OK(vulkan.submit({{semaphore, 10}}, {}, mark.set(1)));
  VK_OK(vulkan.signal(semaphore, 9));
  EXPECT_EQ(host.value(), 9u);
  let_things_happen();
  EXPECT_EQ(mark.value(), 0u);
  VK_OK(vulkan.signal(semaphore, 10));
  VK_OK(vkQueueWaitIdle(vulkan.queue));
  EXPECT_EQ(mark.value(), 1u);
  EXPECT_EQ(vulkan.value_of(semaphore), 10u);
  vulkan.destroy(semaphore);
}

TEST(vkWaitSemaphores, WaitsForOthersAndForQueues) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore semaphore = vulkan.timeline(2);
  HostView host(vulkan.fd_of(semaphore));
  VK_EXPECT(vulkan.wait(semaphore, 2, 0));
  EXPECT_EQ(vulkan.wait(semaphore, 3, 0), VK_TIMEOUT);
  EXPECT_EQ(vulkan.wait(semaphore, 3, 20'000'000), VK_TIMEOUT);
  std::thread other([&] {
    let_things_happen();
    host.signal(3);
  });
  VK_EXPECT(vulkan.wait(semaphore, 3));
  other.join();
  VK_EXPECT(vulkan.submit({}, {{semaphore, 8}}));
  VK_EXPECT(vulkan.wait(semaphore, 7));
  EXPECT_GE(host.value(), 7u);
  vulkan.destroy(semaphore);
}

TEST(vkWaitSemaphores, TakesOrdinaryOnesBesideShared) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore semaphores[] = {vulkan.timeline(), vulkan.semaphore(true, 0, false)};
  HostView host(vulkan.fd_of(semaphores[0]));
  const uint64_t values[] = {1, 1};
  VkSemaphoreWaitInfo wait{
      VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 2, semaphores, values};
  VK_EXPECT(vulkan.signal(semaphores[1], 1));
  EXPECT_EQ(vulkan.wait_semaphores(vulkan.device, &wait, 1'000'000), VK_TIMEOUT);
  wait.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
  VK_EXPECT(vulkan.wait_semaphores(vulkan.device, &wait, 30 * second));
  wait.flags = 0;
  host.signal(1);
  VK_EXPECT(vulkan.wait_semaphores(vulkan.device, &wait, 30 * second));
  for (const VkSemaphore semaphore : semaphores) vulkan.destroy(semaphore);
}

// As soon as the program knows that work is over, its signals can be seen.
TEST(vkGetSemaphoreCounterValue, KnowsWhatIsOver) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const VkSemaphore semaphore = vulkan.timeline();
  HostView host(vulkan.fd_of(semaphore));
  const VkFenceCreateInfo create{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence;
  VK_OK(vkCreateFence(vulkan.device, &create, nullptr, &fence));
  for (uint64_t value = 1; value <= 200; ++value) {
    VK_OK(vulkan.submit({}, {{semaphore, value}}, VK_NULL_HANDLE, fence));
    switch (value % 4) {
      case 0:
        VK_OK(vkQueueWaitIdle(vulkan.queue));
        break;
      case 1:
        VK_OK(vkDeviceWaitIdle(vulkan.device));
        break;
      case 2:
        VK_OK(vkWaitForFences(vulkan.device, 1, &fence, VK_TRUE, 30 * second));
        break;
      default:
        while (vkGetFenceStatus(vulkan.device, fence) == VK_NOT_READY) std::this_thread::yield();
    }
    // lavapipe signals a fence a moment before the timelines of the same submit.
    if (value % 4 >= 2) {
      VK_OK(vulkan.wait(semaphore, value));
    }
    EXPECT_EQ(host.value(), value);
    EXPECT_EQ(vulkan.value_of(semaphore), value);
    EXPECT_EQ(vulkan.wait(semaphore, value, 0), VK_SUCCESS);
    VK_OK(vkDeviceWaitIdle(vulkan.device));
    VK_OK(vkResetFences(vulkan.device, 1, &fence));
  }
  vkDestroyFence(vulkan.device, fence, nullptr);
  vulkan.destroy(semaphore);
}

TEST(vkCreateSemaphore, MakesMany) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  std::vector<VkSemaphore> semaphores;
  for (int i = 0; i < 300; ++i) semaphores.push_back(vulkan.semaphore(i % 2 == 0));
  // A chain through all of them.
  for (size_t i = 0; i + 1 < semaphores.size(); ++i)
    VK_OK(vulkan.submit({{semaphores[i], i % 2 == 0}}, {{semaphores[i + 1], i % 2 == 1}}));
  VK_OK(vulkan.signal(semaphores[0], 1));
  VK_OK(vkQueueWaitIdle(vulkan.queue));
  HostView last(vulkan.fd_of(semaphores.back()));
  EXPECT_TRUE(last.take());
  for (const VkSemaphore semaphore : semaphores) vulkan.destroy(semaphore);
}

TEST(vkDestroySemaphore, KeepsWaitsThatArePending) {
  NEED_DRIVER(lavapipe);
  for (const bool timeline : {false, true}) {
    Vulkan vulkan;
    Mark mark(vulkan);
    const VkSemaphore semaphore = vulkan.semaphore(timeline);
    HostView host(vulkan.fd_of(semaphore));
    VK_OK(vulkan.submit({{semaphore, timeline}}, {}, mark.set(1)));
    vulkan.destroy(semaphore);
    let_things_happen();
    EXPECT_EQ(mark.value(), 0u);
    host.signal(1);
    VK_OK(vkQueueWaitIdle(vulkan.queue));
    EXPECT_EQ(mark.value(), 1u);
  }
}

TEST(vkDestroyDevice, EndsWaitsThatArePending) {
  NEED_DRIVER(lavapipe);
  for (const bool timeline : {false, true}) {
    Vulkan vulkan;
    const VkSemaphore waited = vulkan.semaphore(timeline), kept = vulkan.semaphore(timeline);
    VK_OK(vulkan.submit({{waited, timeline}, {kept, timeline}}, {}));
    vulkan.destroy(waited);
  }
}

TEST(vkQueueSubmit, SurvivesNonsenseInTheSharedPage) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  for (const bool timeline : {false, true}) {
    const VkSemaphore semaphore = vulkan.semaphore(timeline);
    HostView host(vulkan.fd_of(semaphore));
    VK_OK(vulkan.submit({{semaphore, timeline ? 1000 : 0u}}, {}));
    memset(static_cast<void*>(&host.words()), 0xff, sizeof host.words());
    host.words().waiters = 0;
    let_things_happen();
    // Back to something that ends the wait, whatever was made of the nonsense.
    host.words().kind = timeline ? CUVETTE_SEMAPHORE_TIMELINE : CUVETTE_SEMAPHORE_BINARY;
    host.words().value = timeline ? 1000 : 1;
    host.words().changes = 12345;
    VK_OK(vkQueueWaitIdle(vulkan.queue));
    vulkan.destroy(semaphore);
  }
}

}  // namespace
