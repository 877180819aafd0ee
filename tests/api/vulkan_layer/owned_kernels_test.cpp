// SPDX-License-Identifier: Apache-2.0
// Kernels and graphs that use memory while Vulkan owns it, and those that only begin then. Runs
// with CUVETTE_CHECK=aliases.
#include "both.hpp"
#include "shared_buffer.hpp"

namespace {

// memory[0] = 1 once *flag is not 0; a null flag counts as set.
constexpr const char* text = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry store(.param .u64 memory, .param .u64 flag) {
  .reg .pred %p; .reg .u64 %m, %f; .reg .u32 %v;
  ld.param.u64 %m, [memory];
  ld.param.u64 %f, [flag];
  setp.eq.u64 %p, %f, 0;
  @%p bra set;
wait:
  ld.volatile.u32 %v, [%f];
  setp.eq.u32 %p, %v, 0;
  @%p bra wait;
set:
  st.global.u32 [%m], 1;
  ret;
}
)";

class OwnedKernels : public testing::Test {
 protected:
  void SetUp() override {
    NEED_DRIVER(lavapipe);
    scene_.emplace();
    vulkan_.emplace(exporting());
    shared_.emplace(*vulkan_);
    OK(cuModuleLoadData(&module_, text));
    OK(cuModuleGetFunction(&store_, module_, "store"));
    OK(cuMemHostAlloc(&flag_, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    *flag() = 0;
    stream_ = new_stream();
    later_ = vulkan_->semaphore(true, 0, false);
    run(*vulkan_, recorded(*vulkan_, Way::acquire, shared_->vk()));
  }
  void TearDown() override {
    if (!shared_) return;
    OK(cuStreamDestroy(stream_));
    OK(cuMemFreeHost(flag_));
    OK(cuModuleUnload(module_));
    vkDeviceWaitIdle(vulkan_->device);
    vulkan_->destroy(later_);
  }

  // Vulkan releases the buffer once `later_` is 1, and then signals.
  void release_later(const std::vector<Vulkan::Point>& signals = {}) {
    VK_OK(vulkan_->submit({{later_, 1}}, signals, recorded(*vulkan_, Way::release, shared_->vk())));
  }
  // Inlined, so that each call is a place of its own.
  [[gnu::always_inline]] void launch(CUdeviceptr flag) {
    void* parameters[] = {&shared_->address, &flag};
    OK(cuLaunchKernel(store_, 1, 1, 1, 1, 1, 1, 0, stream_, parameters, nullptr));
  }
  volatile uint32_t* flag() const { return static_cast<volatile uint32_t*>(flag_); }

  std::optional<Scene> scene_;
  std::optional<Vulkan> vulkan_;
  std::optional<SharedBuffer> shared_;
  CUmodule module_ = nullptr;
  CUfunction store_ = nullptr;
  void* flag_ = nullptr;
  CUstream stream_ = nullptr;
  VkSemaphore later_ = VK_NULL_HANDLE;
};

// The host says by a flag that the release is over, so the kernel is right.
TEST_F(OwnedKernels, MayWaitForAFlag) {
  release_later();
  Listener listener;
  launch(reinterpret_cast<CUdeviceptr>(flag_));
  let_things_happen();
  VK_OK(vulkan_->signal(later_, 1));
  VK_OK(vkQueueWaitIdle(vulkan_->queue));
  *flag() = 1;
  OK(cuStreamSynchronize(stream_));
  EXPECT_EQ(listener.reports(), 0) << listener.text();
}

TEST_F(OwnedKernels, AreReportedWithAFlagIfVulkanOwnsTheMemoryAllTheTime) {
  Listener listener;
  launch(reinterpret_cast<CUdeviceptr>(flag_));
  let_things_happen();
  *flag() = 1;
  OK(cuStreamSynchronize(stream_));
  EXPECT_EQ(listener.reports(), 1) << listener.text();
}

// A graph begins while Vulkan owns the memory, and waits for it.
TEST_F(OwnedKernels, MayWaitInAGraph) {
  Both released(*vulkan_, true);
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  OK(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(wait(released.cuda, 1, stream_));
  OK(cuMemsetD8Async(shared_->address, 1, 4096, stream_));
  launch(0);
  OK(cuStreamEndCapture(stream_, &graph));
  OK(cuGraphInstantiate(&executable, graph, 0));
  release_later({{released.vk, 1}});
  Listener listener;
  OK(cuGraphLaunch(executable, stream_));
  let_things_happen();
  VK_OK(vulkan_->signal(later_, 1));
  OK(cuStreamSynchronize(stream_));
  EXPECT_EQ(listener.reports(), 0) << listener.text();
  OK(cuGraphExecDestroy(executable));
  OK(cuGraphDestroy(graph));
}

TEST_F(OwnedKernels, AreReportedInAGraphThatDoesNotWait) {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  OK(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  launch(0);
  OK(cuStreamEndCapture(stream_, &graph));
  OK(cuGraphInstantiate(&executable, graph, 0));
  release_later();
  Listener listener;
  OK(cuGraphLaunch(executable, stream_));
  OK(cuStreamSynchronize(stream_));
  VK_OK(vulkan_->signal(later_, 1));
  EXPECT_EQ(listener.reports(), 1) << listener.text();
  OK(cuGraphExecDestroy(executable));
  OK(cuGraphDestroy(graph));
}

}  // namespace
