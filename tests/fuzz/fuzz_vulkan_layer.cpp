// SPDX-License-Identifier: Apache-2.0
// Vulkan, with the layer on, and CUDA take turns at shared buffers in any order: fills, copies and
// hand-overs of ownership by either, along one timeline that both wait for and signal; binary
// semaphores beside it; buffers, mappings and semaphores that come and go, on one side first or on
// the other. Every call is one that Vulkan allows. Nothing may crash or hang, and every byte must
// be what the order says.
#include <cuda.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "tests/api/vulkan_layer/both.hpp"
#include "tests/api/vulkan_layer/shared_buffer.hpp"
#include "tests/fuzz/input.hpp"

namespace {

constexpr size_t size = SharedBuffer::size;

// One for the process: a device takes longer to make than all the calls of an input.
Vulkan& vulkan() {
  static auto* const one = [] {
    if (!choose(lavapipe)) return static_cast<Vulkan*>(nullptr);
    CUcontext context;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
      std::abort();
    return new Vulkan(exporting());
  }();
  if (!one) {
    std::puts("skipped: lavapipe is missing");
    std::exit(0);
  }
  return *one;
}

// A buffer whose two sides end in either order.
struct Shared {
  std::optional<Buffer> vk{std::in_place, vulkan(), size, true};
  CUexternalMemory memory = import(vk->fd(), size);
  CUdeviceptr address = map(memory, 0, size);
  std::vector<unsigned char> expected = std::vector<unsigned char>(size);
  bool vulkan_first = false;

  Shared() {
    fill(address);
    std::fill(expected.begin(), expected.end(), 7);
  }
  ~Shared() {
    if (vulkan_first) vk.reset();
    EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
    EXPECT_EQ(cuDestroyExternalMemory(memory), CUDA_SUCCESS);
  }
};

struct Run {
  Input& input;
  CUstream stream = nullptr;
  std::unique_ptr<Both> chain;
  uint64_t now = 0;  // the timeline's value when all that was submitted is done
  struct Handover {
    bool to_vulkan;
    bool signalled = false;
    std::unique_ptr<Both> semaphore = std::make_unique<Both>(vulkan(), false);
  };
  std::array<Handover, 2> handovers = {Handover{false}, Handover{true}};
  std::array<std::unique_ptr<Shared>, 3> buffers;

  explicit Run(Input& input) : input(input) {
    EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    chain = std::make_unique<Both>(vulkan(), true);
    for (auto& one : buffers) one = std::make_unique<Shared>();
  }
  ~Run() {
    settle();
    EXPECT_EQ(cuStreamDestroy(stream), CUDA_SUCCESS);
  }

  Shared& buffer() { return *buffers[input.below(buffers.size())]; }
  // A part of a buffer, in words.
  std::pair<size_t, size_t> part() {
    const size_t begin = input.place(size / 4), most = size / 4 - begin;
    return {begin * 4, (1 + input.place(most)) * 4};
  }

  // `wait`, `signal`: binary semaphores beside the timeline.
  void submit(VkCommandBuffer commands, VkSemaphore wait = {}, VkSemaphore signal = {}) {
    std::vector<Vulkan::Point> waits = {{chain->vk, now}}, signals = {{chain->vk, now + 1}};
    if (wait) waits.push_back({wait});
    if (signal) signals.push_back({signal});
    const auto submit = input.flip() ? submit_1 : submit_2;
    EXPECT_EQ(submit(vulkan(), waits, signals, commands), VK_SUCCESS);
    ++now;
  }
  template <typename Command>
  void enqueue(const Command& command) {
    EXPECT_EQ(wait(chain->cuda, now, stream), CUDA_SUCCESS);
    EXPECT_EQ(command(), CUDA_SUCCESS);
    EXPECT_EQ(signal(chain->cuda, ++now, stream), CUDA_SUCCESS);
  }

  // Waits for everything, and compares.
  void settle() {
    EXPECT_EQ(vulkan().wait(chain->vk, now), VK_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(vkDeviceWaitIdle(vulkan().device), VK_SUCCESS);
    EXPECT_EQ(vkResetCommandPool(vulkan().device, vulkan().pool,
                                 VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT),
              VK_SUCCESS);
    std::vector<unsigned char> bytes(size);
    for (const auto& one : buffers) {
      EXPECT_EQ(cuMemcpyDtoH(bytes.data(), one->address, size), CUDA_SUCCESS);
      EXPECT_EQ(bytes, one->expected);
    }
  }

  void fill_by_vulkan() {
    Shared& to = buffer();
    const auto [begin, bytes] = part();
    const uint32_t number = input.byte() * 0x01010101u;
    const VkCommandBuffer commands = vulkan().record();
    const bool owned = input.flip();
    if (owned) hand_over(commands, Way::acquire, to.vk->buffer, begin, bytes);
    vkCmdFillBuffer(commands, to.vk->buffer, begin, bytes, number);
    if (owned) hand_over(commands, Way::release, to.vk->buffer, begin, bytes);
    submit(ended(commands));
    std::fill_n(to.expected.begin() + static_cast<long>(begin), bytes, number & 0xff);
  }
  void copy_by_vulkan() {
    Shared &from = buffer(), &to = buffer();
    if (&from == &to) return;
    const auto [begin, bytes] = part();
    const VkCommandBuffer commands = vulkan().record();
    const VkBufferCopy region{begin, begin, bytes};
    vkCmdCopyBuffer(commands, from.vk->buffer, to.vk->buffer, 1, &region);
    submit(ended(commands));
    std::copy_n(from.expected.begin() + static_cast<long>(begin), bytes,
                to.expected.begin() + static_cast<long>(begin));
  }
  void fill_by_cuda() {
    Shared& to = buffer();
    const auto [begin, bytes] = part();
    const unsigned char number = input.byte();
    enqueue([&, begin = begin, bytes = bytes] {
      return cuMemsetD8Async(to.address + begin, number, bytes, stream);
    });
    std::fill_n(to.expected.begin() + static_cast<long>(begin), bytes, number);
  }
  void copy_by_cuda() {
    Shared &from = buffer(), &to = buffer();
    if (&from == &to) return;
    const auto [begin, bytes] = part();
    enqueue([&, begin = begin, bytes = bytes] {
      return cuMemcpyDtoDAsync(to.address + begin, from.address + begin, bytes, stream);
    });
    std::copy_n(from.expected.begin() + static_cast<long>(begin), bytes,
                to.expected.begin() + static_cast<long>(begin));
  }
  // One side signals what the other waits for: it takes no signal that another waiter is meant to
  // have. In turns like all else, since what is signalled must not be signalled again.
  void use_binary() {
    Handover& one = handovers[input.below(handovers.size())];
    const VkSemaphore vk = one.semaphore->vk;
    const CUexternalSemaphore cuda = one.semaphore->cuda;
    if (one.signalled && one.to_vulkan)
      submit({}, vk, {});
    else if (one.signalled)
      enqueue([&] { return wait(cuda, 0, stream); });
    else if (one.to_vulkan)
      enqueue([&] { return signal(cuda, 0, stream); });
    else
      submit({}, {}, vk);
    one.signalled = !one.signalled;
  }
  // A second mapping, of any place and size: one that fits is the same memory.
  void map_again() {
    Shared& one = buffer();
    const uint64_t offset = input.flip() ? input.place(size) : input.size();
    const uint64_t bytes = input.flip() ? input.place(size) : input.size();
    const auto [result, address] = try_map(one.memory, offset, bytes);
    const bool fits = bytes != 0 && offset <= size && bytes <= size - offset;
    EXPECT_TRUE(fits || result != CUDA_SUCCESS);
    if (result != CUDA_SUCCESS) return;
    const unsigned char number = input.byte();
    enqueue([&, address = address] { return cuMemsetD8Async(address, number, 1, stream); });
    one.expected[offset] = number;
    if (input.flip()) settle();
    EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  }
  void renew_buffer() {
    settle();
    auto& one = buffers[input.below(buffers.size())];
    one->vulkan_first = input.flip();
    one = std::make_unique<Shared>();
  }
  void renew_semaphores() {
    settle();
    if (input.flip()) {
      chain = std::make_unique<Both>(vulkan(), true);
      now = 0;
    } else {
      Handover& one = handovers[input.below(handovers.size())];
      one = Handover{one.to_vulkan};
    }
  }
  void signal_from_host() {
    EXPECT_EQ(vulkan().wait(chain->vk, now), VK_SUCCESS);
    EXPECT_EQ(vulkan().signal(chain->vk, ++now), VK_SUCCESS);
    EXPECT_EQ(vulkan().value_of(chain->vk), now);
  }
};

constexpr void (Run::*steps[])() = {
    &Run::fill_by_vulkan, &Run::fill_by_vulkan, &Run::copy_by_vulkan,   &Run::fill_by_cuda,
    &Run::fill_by_cuda,   &Run::copy_by_cuda,   &Run::use_binary,       &Run::map_again,
    &Run::renew_buffer,   &Run::settle,         &Run::renew_semaphores, &Run::signal_from_host,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  vulkan().record();  // so that there is a pool
  Input input(data, bytes);
  {
    Run run(input);
    while (!input.empty()) (run.*steps[input.byte() % std::size(steps)])();
  }
  if (testing::Test::HasFailure()) std::abort();
  return 0;
}
