// SPDX-License-Identifier: Apache-2.0
// One of two processes that hand a frame to and fro: one draws with Vulkan, one reads and writes
// with CUDA. `frames_test` starts both.
//
//   frame_exchange vulkan|cuda SOCKET FRAMES timeline|binary exit|recover PATIENCE
//
//   vulkan    fills the frame with n   ---- drawn ---->   copies it, looks: all n?     cuda
//             copies it, looks: all ~n? <--- seen ----    fills it with ~n
//
// The two share the frame's memory and two semaphores, whose descriptors Vulkan's process sends
// over the socket. If the other side is silent for PATIENCE milliseconds, this one ends by exit()
// with work pending, or recovers: it ends its own waits, gives everything back, and sees that no
// file in memory is left open. (A wait of a queue for a binary semaphore cannot be ended; then it
// exits.)
//
// Status 0: all frames came whole. 1: a call has failed. 2: a frame was torn. 3: the other side was
// silent; 4: from the beginning.
#include <cuda.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "../driver/gate.hpp"
#include "../driver/pass_fd.hpp"
#include "both.hpp"
#include "buffer.hpp"

namespace {

enum Status { whole = 0, failed = 1, torn = 2, silent = 3, never_heard = 4 };

struct Settings {
  int socket;
  uint32_t frames;
  bool timeline, recover;
  uint64_t patience_ns;
};

constexpr size_t frame_size = 4 << 20, words = frame_size / 4;

// How many files in memory this process has open. Sanitizers open pipes whenever they like.
int memory_files() {
  int count = 0;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own descriptor
    count += std::filesystem::read_symlink(one.path(), gone).string().starts_with("/memfd:");
  }
  return count;
}

// The status to end with, unless a call has failed.
Status unless_failed(Status status) {
  return testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? failed : status;
}
Status silent_after(uint32_t frames) { return frames == 0 ? never_heard : silent; }

bool is_whole(const void* frame, uint32_t number, const char* who) {
  const auto* const word = static_cast<const uint32_t*>(frame);
  const auto* const wrong =
      std::find_if(word, word + words, [&](uint32_t one) { return one != number; });
  if (wrong == word + words) return true;
  fprintf(stderr, "%s: word %zu of a frame is %08x instead of %08x\n", who,
          static_cast<size_t>(wrong - word), *wrong, number);
  return false;
}

// --- Vulkan's side -------------------------------------------------------------------------------

struct Drawing {
  explicit Drawing(bool timeline)
      : vulkan(exporting()),
        frame(vulkan, frame_size, true),
        copy(vulkan, frame_size, false),
        drawn(vulkan.semaphore(timeline)),
        seen(vulkan.semaphore(timeline)),
        done(vulkan.semaphore(true, 0, false)) {}
  ~Drawing() {
    VK_EXPECT(vkDeviceWaitIdle(vulkan.device));
    for (const VkSemaphore one : {drawn, seen, done}) vulkan.destroy(one);
  }

  bool offer(int socket) {
    bool sent = true;
    for (const int fd : {frame.fd(), vulkan.fd_of(drawn), vulkan.fd_of(seen)}) {
      sent = sent && send_fd(socket, fd, "x", 1);
      close(fd);
    }
    return sent;
  }
  // Copies the frame to where the host sees it, and draws it anew unless `last`.
  VkCommandBuffer commands(uint32_t number, bool last) {
    const VkCommandBuffer commands = vulkan.record();
    const VkBufferCopy all{0, 0, frame_size};
    vkCmdCopyBuffer(commands, frame.buffer, copy.buffer, 1, &all);
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
    if (!last) vkCmdFillBuffer(commands, frame.buffer, 0, frame_size, number);
    VK_EXPECT(vkEndCommandBuffer(commands));
    return commands;
  }

  Vulkan vulkan;
  Buffer frame, copy;
  const VkSemaphore drawn, seen, done;
};

Status draw(Drawing& drawing, const Settings& settings) {
  Vulkan& vulkan = drawing.vulkan;
  if (!drawing.offer(settings.socket)) return never_heard;
  for (uint32_t number = 1; number <= settings.frames + 1; ++number) {
    const bool first = number == 1, last = number == settings.frames + 1;
    const VkCommandBuffer commands = drawing.commands(number, last);
    std::vector<Vulkan::Point> waits, signals{{drawing.done, number}};
    if (!first) waits.push_back({drawing.seen, settings.timeline ? number - 1 : 0});
    if (!last) signals.push_back({drawing.drawn, settings.timeline ? number : 0});
    VK_EXPECT(vulkan.submit(waits, signals, commands));
    if (vulkan.wait(drawing.done, number, settings.patience_ns) != VK_SUCCESS) {
      // Only the host can end this wait, and only a timeline's.
      if (first) exit(unless_failed(never_heard));  // only the machine is slow
      if (!settings.recover || !settings.timeline) exit(unless_failed(silent_after(number - 2)));
      VK_EXPECT(vulkan.signal(drawing.seen, number - 1));
      return silent_after(number - 2);
    }
    if (!first && !is_whole(drawing.copy.data(), ~(number - 1), "Vulkan")) return torn;
    vkFreeCommandBuffers(vulkan.device, vulkan.pool, 1, &commands);
  }
  return whole;
}

Status run_vulkan(const Settings& settings) {
  const int before = memory_files();
  Status status;
  {
    Drawing drawing(settings.timeline);
    status = draw(drawing, settings);
  }
  EXPECT_EQ(memory_files(), before);
  return status;
}

// --- CUDA's side ---------------------------------------------------------------------------------

CUdeviceptr map_frame(int fd) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = fd;
  description.size = frame_size;
  CUexternalMemory memory = nullptr;
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_SUCCESS);
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
  buffer.size = frame_size;
  CUdeviceptr address = 0;
  EXPECT_EQ(cuExternalMemoryGetMappedBuffer(&address, memory, &buffer), CUDA_SUCCESS);
  EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_SUCCESS);
  return address;
}

bool finishes(CUstream stream, uint64_t patience_ns) {
  using clock = std::chrono::steady_clock;
  for (const auto begin = clock::now();;) {
    if (cuStreamQuery(stream) == CUDA_SUCCESS) return true;
    if (clock::now() - begin > std::chrono::nanoseconds(patience_ns)) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Status look(const Settings& settings, CUstream stream, CUdeviceptr frame, CUexternalSemaphore drawn,
            CUexternalSemaphore seen) {
  void* copy = nullptr;
  EXPECT_EQ(cuMemAllocHost(&copy, frame_size), CUDA_SUCCESS);
  Status status = whole;
  for (uint32_t number = 1; status == whole && number <= settings.frames; ++number) {
    EXPECT_EQ(wait(drawn, number, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyDtoHAsync(copy, frame, frame_size, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32Async(frame, ~number, words, stream), CUDA_SUCCESS);
    EXPECT_EQ(signal(seen, number, stream), CUDA_SUCCESS);
    if (!finishes(stream, settings.patience_ns)) {
      if (!settings.recover) exit(unless_failed(silent_after(number - 1)));
      const CUstream other = new_stream();
      EXPECT_EQ(signal(drawn, number, other), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamDestroy(other), CUDA_SUCCESS);
      status = silent_after(number - 1);
    } else if (!is_whole(copy, number, "CUDA")) {
      status = torn;
    }
  }
  EXPECT_EQ(cuMemFreeHost(copy), CUDA_SUCCESS);
  return status;
}

Status run_cuda(const Settings& settings) {
  int fds[3];
  for (int& fd : fds) {
    char byte;
    if ((fd = receive_fd(settings.socket, &byte, 1)) < 0) return never_heard;
  }
  const Scene scene;
  const CUstream stream = new_stream();
  const int before = memory_files();
  const CUdeviceptr frame = map_frame(fds[0]);
  CUexternalSemaphore drawn = nullptr, seen = nullptr;
  const auto type = settings.timeline ? as_timeline : as_binary;
  EXPECT_EQ(import_fd(&drawn, fds[1], type), CUDA_SUCCESS);
  EXPECT_EQ(import_fd(&seen, fds[2], type), CUDA_SUCCESS);
  const Status status = look(settings, stream, frame, drawn, seen);
  EXPECT_EQ(cuDestroyExternalSemaphore(drawn), CUDA_SUCCESS);
  EXPECT_EQ(cuDestroyExternalSemaphore(seen), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(frame), CUDA_SUCCESS);
  // The imports have taken the three descriptors over.
  EXPECT_EQ(memory_files(), before - 3);
  EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  return status;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) return 64;
  signal(SIGPIPE, SIG_IGN);
  const Settings settings{
      atoi(arguments[2]), static_cast<uint32_t>(strtoul(arguments[3], nullptr, 10)),
      strcmp(arguments[4], "timeline") == 0, strcmp(arguments[5], "recover") == 0,
      strtoull(arguments[6], nullptr, 10) * 1'000'000};
  alarm(250);
  const Status status =
      strcmp(arguments[1], "vulkan") == 0 ? run_vulkan(settings) : run_cuda(settings);
  return unless_failed(status);
}
